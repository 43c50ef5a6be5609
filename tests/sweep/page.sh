#!/bin/sh
# The page of a study, in a browser as somebody uses it; and the files beside it. Where there is no Chromium it ends as
# skipped, once the rest has passed.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../browser.sh"
. "$(dirname "$0")/../script.sh"

"$MAKE_STUDY" .

# --- pictures ---------------------------------------------------------------------------------

for name in front front_all map lines; do
  [ "$(grep -c '</svg>' $name.svg)" -eq 1 ] || fail "$name.svg"
done
cat >title <<'END'
<text>Cycles &amp; &lt;area>: 'what' `date` "for" $x \n {/Bold y} 100 %</text>
END
grep -qF -f title front.svg || fail "the title"
grep -qF 'failed (1)' front.svg && grep -qF 'dropped by constraints (2)' front.svg || fail "what stands apart"
grep -qF 'not shown: 1 failed, 2 dropped by constraints, 1 not run yet' front_all.svg || fail "what is not shown"
grep -qF 'busy [%] (more is better)' front_all.svg || fail "label"
for value in 807 407 273.7 167 1207 607 307; do
  grep -q ">$value<" map.svg || fail "no $value in the map"
done

"$MAKE_STUDY" . nothing
grep -q 'no point is done' nothing.svg || fail "a picture of nothing"
grep -q 'not shown: 12 not run yet' nothing.svg || fail "what is not there yet"
status=0
"$MAKE_STUDY" . gone 2>said || status=$?
[ $status -eq 2 ] && [ "$(cat said)" = "amalgam: plot gone: there is no axis and no metric 'cycle'" ] || fail "$(cat said)"
[ ! -e gone.svg ] || fail "a picture of what is not there"

# --- one file ---------------------------------------------------------------------------------

grep -qiE '<iframe|<img|<object|@import|url\(|src=|<link[^>]*href="[^d]|https?://[^w]|<b>' index.html &&
  fail "something is fetched, or a text is markup"
[ "$(grep -o '</script>' index.html | wc -l)" -eq 2 ] || fail "a text ended the script"

# --- a browser --------------------------------------------------------------------------------

find_browser
cat >use.html <<'END'
<!DOCTYPE html><title>use</title><iframe id="frame" style="width:1200px;height:900px"></iframe>
<pre id="said"></pre><script>
const frame = document.getElementById('frame'), said = [];
const say = (name, value) => said.push(name + '=' + value);
frame.onload = async () => {
  const win = frame.contentWindow, page = frame.contentDocument;
  const all = what => [...page.querySelectorAll(what)], one = what => page.querySelector(what);
  const names = all('#table thead th').map(th => th.textContent.split(' ')[0]);
  const cells = name => all('#table tbody tr').map(tr => tr.children[names.indexOf(name)].textContent).join(' ');
  const head = name => all('#table thead th button')[names.indexOf(name)];
  const filter = (name, text) => {
    const field = all('#table .filters input')[names.indexOf(name)];
    field.value = text;
    field.dispatchEvent(new Event('input'));
  };
  const choose = (id, value) => {
    one('#' + id).value = value;
    one('#' + id).dispatchEvent(new Event('change'));
  };
  const rowsOf = what => all(what).map(x => +x.dataset.row).sort((a, b) => a - b).join(' ');
  const mouse = (type, x, y) => one('#chart').dispatchEvent(
    new win.PointerEvent(type, {clientX: x, clientY: y, bubbles: true}));
  const middle = element => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  let copied = '';
  Object.defineProperty(win.navigator, 'clipboard', {value: {writeText: async text => { copied = text; }}});

  say('title', page.title);
  say('heading', one('h1').textContent);
  say('columns', names.join(' '));
  say('rows', cells('cycles'));
  say('fetched', win.performance.getEntriesByType('resource').length);
  say('overflow', page.documentElement.scrollWidth - page.documentElement.clientWidth);

  head('cycles').click();
  say('up', cells('cycles'));
  head('cycles').click();
  say('down', cells('cycles'));
  say('aria', head('cycles').parentElement.getAttribute('aria-sort'));
  head('kernel').click();
  say('kernels', cells('kernel'));
  for (const [name, text] of [['cycles', '>406'], ['cycles', ' <= 407 '], ['buffers', '=2'], ['buffers', '!=2'],
    ['kernel', 'AM'], ['kernel', '!=amla'], ['status', '=failed'], ['cycles', '>'], ['speedup', '!=1'],
    ['command', '--kv-buffers 3'], ['error', 'HERE<' + '/b>'], ['result', '00c']]) {
    filter(name, text);
    say(`${name}${text.replaceAll(' ', '')}`.replace('<' + '/', ''), all('#table tbody tr').length);
    filter(name, '');
  }
  filter('kernel', 'base');
  filter('buffers', '<3');
  say('both', rowsOf('#table tbody tr') + '; drawn ' + rowsOf('#chart [data-row]'));
  filter('kernel', '');
  filter('buffers', '');

  say('apart', `${rowsOf('#chart .failed')}; ${rowsOf('#chart .dropped')}`);
  say('fronts', rowsOf('#chart .chosen'));
  const at = middle(one('#chart circle[data-row="7"]'));   // amla, 2 buffers
  mouse('pointermove', ...at);
  say('tip', !one('#tip').hidden && one('#tip').innerText.replace(/\s+/g, ' '));
  say('near', rowsOf('#table tr.near'));
  mouse('click', ...at);
  await Promise.resolve();
  say('copied', copied);
  mouse('pointermove', at[0] + 60, at[1] - 60);
  say('gone', one('#tip').hidden);
  one('#chart').dispatchEvent(new win.KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, cancelable: true}));
  say('key', one('#tip code').textContent);
  all('#table td.command')[0].click();
  await Promise.resolve();
  say('cell', copied === all('#table td.command')[0].textContent);

  choose('series', '');
  say('front', rowsOf('#chart .chosen') + '; ' + rowsOf('#chart .point'));
  choose('x', 'busy');
  say('busy', one('#mostX').checked + ' ' + rowsOf('#chart .chosen'));
  say('lost', one('#legend').textContent.includes('no place here: 4'));
  one('#mostX').click();
  say('less_busy', rowsOf('#chart .chosen'));
  choose('y', 'speedup');
  say('label', all('#chart .label').map(x => x.textContent).join(', '));
  one('#logX').click();
  say('log', all('#chart circle').length);

  all('#plots button')[2].click();
  say('map', `${rowsOf('#chart rect.cell:not(.empty-failed):not(.empty-dropped)')}; ${rowsOf('#chart .empty-failed')}; ` +
    rowsOf('#chart .empty-dropped'));
  say('values', all('#chart .value').map(x => x.textContent).sort((a, b) => a - b).join(' '));
  all('#plots button')[3].click();
  say('lines', all('#chart .line').length + ' ' + rowsOf('#chart .chosen'));
  say('inside', all('#chart circle').every(c => c.cx.baseVal.value > 0 && c.cx.baseVal.value < 900 &&
    c.cy.baseVal.value > 0 && c.cy.baseVal.value < 500));
  document.getElementById('said').textContent = said.join('\n');
};
frame.src = 'index.html';
</script>
END
browse --dump-dom "file://$dir/use.html" >used
sed -i 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' used
is used title made
[ "$(value heading used)" = 'Is <b>"amla"</b> & Co. faster? </script>' ] || fail "$(value heading used)"
is used columns 'kernel buffers cycles busy area half least speedup status error command result attempts seconds peak_mb host'
is used rows '1207 607 407 307   807 407 273.667  167 '
is used fetched 0
is used overflow 0
is used up '167 273.667 307 407 407 607 807 1207    '
is used down '1207 807 607 407 407 307 273.667 167    '
is used aria descending
is used kernels 'base base base base base base amla amla amla amla amla amla'
is used 'cycles>406' 5
is used 'cycles<=407' 5
is used 'buffers=2' 2
is used 'buffers!=2' 10
is used 'kernelAM' 6
is used 'kernel!=amla' 6
is used 'status=failed' 1
is used 'cycles>' 12
is used 'speedup!=1' 8
is used 'command--kv-buffers3' 2
is used 'errorHEREb>' 1
is used 'result00c' 0
is used both '0 1; drawn 0 1'
is used apart '9; 5 11'
is used fronts '0 1 2 3 6 7 8 10'
is used tip 'kernel amla buffers 2 cycles 407 busy [%] 64 area [KiB] 272 half 203.5 least 83.5 speedup 1.4914 status done amalgam run amla --kv-buffers 2 --set '\''a=<b>'\'' click copies the command'
is used near 7
is used copied "amalgam run amla --kv-buffers 2 --set 'a=<b>'"
is used gone true
is used key "amalgam run base --kv-buffers 1 --set 'a=<b>'"
is used cell true
is used front '6 7 8 10; 0 1 2 3'
is used busy 'true 10'
is used lost true
is used less_busy '6 7 8 10'
is used label 'busy [%], speedup'
is used log 7
is used map '0 1 2 3 6 7 8 10; 9; 5 11'
is used values '167 273.7 307 407 407 607 807 1207'
is used lines '2 0 1 2 3 6 7 8 10'
is used inside true
echo "all as expected"
