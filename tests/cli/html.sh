#!/bin/sh
# The page of all reports: what is in it, that it is one file, and how it looks to a browser, on a
# phone, in the dark and on paper. Where there is no Chromium it ends as skipped, once the rest has passed.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../browser.sh"
. "$(dirname "$0")/../script.sh"

# --- what is refused --------------------------------------------------------------------------

refused() {   # refused FRAGMENT ARGS...
  fragment=$1
  shift
  status=0
  "$SIM" report "$@" >stdout 2>stderr || status=$?
  [ $status -eq 2 ] && [ "$(wc -l <stderr)" -eq 1 ] && grep -qF -e "$fragment" stderr ||
    { cat stderr; fail "report $*: exit code $status"; }
}
refused "no report in none" --html --out none
[ ! -e none ] || fail "a folder for a page that was not written"
mkdir empty
refused "no report in empty" --html --out empty
[ -z "$(ls empty)" ] || fail "files of a page that was not written"

# --- a page -----------------------------------------------------------------------------------

"$SIM" report table3 fig8a fig1 timeline --html --dist 'N(0,25)' --seeds 1 --seq-kv 1024 --impl c \
  --batch 2 --cores 2 --set soc.skew_us=4 --out "r s" >text 2>stderr ||
  { cat stderr; fail "exit code"; }
grep -q '^r s/index.html: 4 of [0-9]* reports; missing: .*table5.*lm' text || fail "text: $(cat text)"
for name in table3 fig8a fig1 timeline; do
  grep -q "<section id=\"$name\">" "r s/index.html" || fail "no section $name"
  grep -q "href=\"#$name\"" "r s/index.html" || fail "$name is not in the contents"
  grep -q "amalgam report $name --dist 'N(0,25)' --seeds 1 --seq-kv 1024 --impl c --batch 2" \
    "r s/$name.json" || fail "how $name was made"
done
grep -q '<code>amalgam report fig1 --dist &#39;\|<code>amalgam report fig1 --dist .N(0,25)' \
  "r s/index.html" || fail "how fig1 was made is not in the page"
grep -q 'config ascend910 --set soc.skew_us=4 --cores 2' "r s/index.html" || fail "the machine of fig1"
grep -q '<li><code>power</code>' "r s/index.html" || fail "power is not among the missing"
pictures() { grep -o 'data:image/svg+xml;base64,[^"]*' "r s/index.html" | cut -d, -f2; }
[ "$(pictures | wc -l)" -eq 4 ] || fail "plots"
is_in_page() { base64 -w 0 "$1" >wanted && pictures | grep -qxFf wanted || fail "$1 is not in the page as it is"; }
for plot in "r s"/*.svg; do
  is_in_page "$plot"
done

# The excerpt of the timeline is of the run: each command that the run has, and busy times that fit.
"$SIM" run amla --heads 128 --seq-q 2 --seq-kv 1024 --timing-only --gm c --cores 1 \
  --set soc.skew_us=4 --timeline t.json --json t.run --quiet
holds '.[0].cycles == .[1].cycles' t.run "r s/timeline.json"
holds '.[0] as $report | [.[1].traceEvents[] | select(.name == "MMAD") |
    ([.ts + .dur, $report.to_us] | min) - ([.ts, $report.from_us] | max) | select(. > 0)] | add |
  . > 0 and (. - ($report.rows[] | select(.pipe == "cube0 M").busy_us) | fabs < 0.01)' "r s/timeline.json" t.json

# What is in the folder makes the page; Markdown of all kinds, and nothing of it is HTML.
cat >"r s/power.md" <<'END'
# A <b>title</b> & more

A paragraph of `code <i>` and **strong** and *soft* text, 2 * 3 * 4, [a page](https://example.org/?a&b),
[a file](x.md), and a word_with_underscores <script>document.title='bad'</script>.

## Below

- one
- two, which
  goes on
- three

| name | paper | ours | a very long heading of a column | a very long heading of a column | more | more | more |
|---|---|---|---|---|---|---|---|
| `a|b` | 1.5 | ~ 2 | 3 | 4 | 5 | 6 | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa |
| | -1 | | 3e+2 | 1.0 % | 5 | 6 | 7 |
| the paper's | 2 | 4 | | | | | |

```
a line of code that is much too long for a phone, and so must not make the page wider than the phone is | x
```
| not a table
![missing](gone.svg)
![outside](../etc/x.svg)
![broken
END
mkdir "r s/table4.md"       # no reports
mkfifo "r s/table2.md"
echo '![made](made.svg) ' >"r s/floor.md"
# Pictures that are more than that stay images.
printf '<svg viewBox="0 0 1 1" onload="bad()"><script>bad()</script></svg>"><script>bad()</script>' >"r s/made.svg"
"$SIM" report --html --quiet --out "r s"
! grep -qiF 'bad()' "r s/index.html" || fail "a picture is part of the page"
is_in_page "r s/made.svg"
rm -r "r s/made.svg" "r s/floor.md" "r s/table4.md" "r s/table2.md"
"$SIM" report --html --out "r s" >text || fail "the page of what is there"
grep -q '^r s/index.html: 5 of' text || fail "text: $(cat text)"
has() { grep -qF -e "$1" "r s/index.html" || fail "no '$1'"; }
has '<h2>A &lt;b&gt;title&lt;/b&gt; &amp; more</h2>'
has '<code>code &lt;i&gt;</code> and <strong>strong</strong> and <em>soft</em> text, 2 * 3 * 4,'
has '<a href="https://example.org/?a&amp;b">a page</a>'
has 'a file, and a word_with_underscores &lt;script&gt;'
has '<h3>Below</h3>'
has '<li>two, which'
has '<td><code>a|b</code></td><td class="number paper">1.5</td><td class="number">~ 2</td>'
has '<td></td><td class="number paper">-1</td><td class="number"></td><td class="number">3e+2</td>'
has '<td class="paper">the paper'\''s</td><td class="number paper">2</td><td class="number paper">4</td>'
has '<p>| not a table</p>'
has 'gone.svg is not in the folder.'
has '../etc/x.svg is not in the folder.'
has '<p>![broken</p>'

# One file: nothing in it is fetched from elsewhere, and there is no program.
grep -qiE '<script|<iframe|<svg|<object|@import|url\(|src="[^d]|<link[^>]*href="[^d]' "r s/index.html" &&
  fail "something is fetched"
grep -q '<link rel="icon" href="data:,">' "r s/index.html" || fail "a browser would ask for an icon"

# --- a browser --------------------------------------------------------------------------------

find_browser

# Measures the page in a frame as wide as a phone, from outside of it.
cat >measure.html <<'END'
<!DOCTYPE html><title>measure</title><iframe id="phone" style="width:360px;height:640px"></iframe>
<pre id="said"></pre><script>
const frame = document.getElementById('phone'), said = [];
function say(name, value) { said.push(name + '=' + value); }
function color(text) { return (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number); }
function light(c) {
  const [r, g, b] = c.map(x => (x /= 255) <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
}
function contrast(a, b) {
  const [x, y] = [light(a.slice(0, 3)), light(b.slice(0, 3))];
  return (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
}
frame.onload = () => {
  const win = frame.contentWindow, page = frame.contentDocument, root = page.documentElement;
  function behind(element) {
    for (; element; element = element.parentElement) {
      const c = color(win.getComputedStyle(element).backgroundColor);
      if (c.length < 4 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  }
  let least = 99, where = '', texts = 0;
  const walk = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest('style')) continue;
    const value = contrast(color(win.getComputedStyle(element).color), behind(element));
    if (value < least) [least, where] = [value, element.tagName + ' ' + node.data.trim().slice(0, 30)];
    ++texts;
  }
  const levels = [...page.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => +h.tagName[1]);
  say('overflow', root.scrollWidth - root.clientWidth);
  say('contrast', least.toFixed(2) + ' ' + where);
  say('texts', texts);
  say('background', win.getComputedStyle(page.body).backgroundColor);
  say('filter', win.getComputedStyle(page.querySelector('img.plot')).filter);
  say('fetched', win.performance.getEntriesByType('resource').length);
  say('title', page.title);
  say('lang', root.lang);
  say('sections', page.querySelectorAll('main > section').length);
  say('headings', levels[0] === 1 && levels.every((x, i) => i === 0 || x <= levels[i - 1] + 1) &&
                  levels.filter(x => x === 1).length === 1);
  say('unlabelled', [...page.querySelectorAll('img:not([alt])')].length);
  say('plots', [...page.querySelectorAll('img.plot')].filter(
    i => i.naturalWidth > 0 && i.getBoundingClientRect().height > 100).length);
  say('targets', [...page.querySelectorAll('a[href^="#"]')].filter(
    a => !page.getElementById(a.hash.slice(1))).length);
  document.getElementById('said').textContent = said.join('\n');
};
frame.src = 'r%20s/index.html';
</script>
END
browse --blink-settings=preferredColorScheme=1 --dump-dom "file://$dir/measure.html" >light
browse --blink-settings=preferredColorScheme=0 --dump-dom "file://$dir/measure.html" >dark
for theme in light dark; do
  is $theme overflow 0
  is $theme fetched 0
  is $theme lang en
  is $theme sections 6   # five reports, and what is missing
  is $theme headings true
  is $theme unlabelled 0
  is $theme plots 4
  is $theme targets 0
  value title $theme | grep -q Amalgam || fail "$theme: title"
  [ "$(value texts $theme)" -gt 150 ] || fail "$theme: texts"
  awk -v x="$(value contrast $theme)" 'BEGIN { exit !(x + 0 >= 4.5) }' ||
    fail "$theme: contrast $(value contrast $theme)"
done
is light filter none
[ "$(value background light)" = 'rgb(255, 255, 255)' ] || fail "background in the light"
[ "$(value background dark)" = 'rgb(20, 23, 26)' ] || fail "background in the dark"
is dark filter "invert(1) hue-rotate(180deg)"

browse --print-to-pdf="$dir/page.pdf" --no-pdf-header-footer "file://$dir/r%20s/index.html"
pages=$(grep -ac '/Type /Page$' page.pdf)
[ "$(head -c 5 page.pdf)" = '%PDF-' ] && [ "$pages" -ge 2 ] && [ "$pages" -le 20 ] ||
  fail "$pages pages on paper"
echo "all as expected: contrast $(value contrast light), $(value contrast dark); $pages pages"
