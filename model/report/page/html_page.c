// SPDX-License-Identifier: Apache-2.0
#include "report/page/html_page.h"

#include "report/page/html_text.h"

// Colours of text have a contrast of 4.5 or more to what they stand on (test cli/html). Plots are
// drawn for white paper; on a dark page their lightness is turned round and their hues are kept.
static const char common_style[] =
    ":root{color-scheme:light dark;--page:#fff;--panel:#f5f6f8;--text:#1b1f24;--soft:#545c66;"
    "--line:#d4d9df;--link:#0b57a4;--paper:#eef3fa}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--page:#14171a;--panel:#1d2125;"
    "--text:#e3e6ea;--soft:#a4adb8;--line:#3a4149;--link:#8ab8f0;--paper:#1c2733}\n"
    "img.plot{filter:invert(1) hue-rotate(180deg)}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0;background:var(--page);color:var(--text);overflow-wrap:anywhere;"
    "font:1rem/1.55 system-ui,'DejaVu Sans',sans-serif}\n"
    "main{max-width:60rem;margin:0 auto;padding:1rem 1rem 4rem}\n"
    "h1{font-size:1.7rem;line-height:1.25;margin:1rem 0 .5rem}\n"
    "h2{font-size:1.3rem;line-height:1.3;margin:0 0 .6rem}\n"
    "h3{font-size:1.08rem;margin:1.6rem 0 .4rem}\n"
    "p,ul{margin:.6rem 0}\nul{padding-left:1.3rem}\n"
    "a{color:var(--link)}\n"
    "section{margin-top:2.2rem;padding-top:1.4rem;border-top:1px solid var(--line)}\n"
    "nav{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;"
    "padding:.7rem 1rem;margin:1rem 0}\n"
    "nav ul{columns:22rem;column-gap:2rem;margin:.3rem 0;padding-left:1.1rem}\n"
    "nav li{break-inside:avoid}\n"
    ".soft{color:var(--soft);font-size:.9rem}\n"
    "code,pre{font-family:'DejaVu Sans Mono',ui-monospace,monospace;font-size:.88em}\n"
    "code{background:var(--panel);border-radius:.2rem;padding:.05rem .12rem}\n"
    "pre{margin:0;padding:.7rem .9rem;overflow-wrap:normal}\npre code{padding:0}\n"
    ".scroll{overflow-x:auto;margin:.9rem 0;border:1px solid var(--line);border-radius:.4rem}\n"
    ".scroll:has(pre){background:var(--panel)}\n"
    "table{border-collapse:collapse;min-width:100%;font-size:.86rem;line-height:1.35;"
    "font-variant-numeric:tabular-nums;overflow-wrap:normal}\n"
    "th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}\n"
    "th{vertical-align:bottom;background:var(--panel);min-width:4em}\n"
    "tbody tr:last-child td{border-bottom:0}\n"
    "td.number,th.number{text-align:right}\n"
    "td{white-space:nowrap}td.long{white-space:normal;min-width:14em}\n"
    "td.paper{background:var(--paper)}\n"
    "figure{margin:1rem 0}\nfigure.scroll{padding:.4rem}\n"
    "img.plot{display:block;width:100%;height:auto;min-width:32rem}\n"
    "@media screen and (max-width:36rem){figure.scroll::after{content:'\\2194  wider than this: it scrolls';"
    "display:block;position:sticky;left:0;width:max-content;color:var(--soft);font-size:.8rem}}\n"
    "dl.made{display:grid;grid-template-columns:max-content 1fr;gap:.15rem .8rem;"
    "background:var(--panel);border-radius:.4rem;padding:.6rem .9rem;margin:1rem 0;"
    "font-size:.86rem}\n"
    "dl.made dt{color:var(--soft)}\ndl.made dd{margin:0;min-width:0}\n"
    "@media print{:root{--panel:#fff;--paper:#fff}html{font-size:9.5pt}main{max-width:none;"
    "padding:0}section{break-before:auto}h2,h3{break-after:avoid}figure,tr,dl.made{"
    "break-inside:avoid}.scroll{overflow:visible;border:0}thead{display:table-header-group}"
    "table{font-size:7.5pt;min-width:0}th,td{padding:.12rem .3rem}td,td.long{white-space:normal;"
    "min-width:0}"
    "td.paper{font-style:italic}"
    "img.plot{min-width:0;max-width:15cm}pre{white-space:pre-wrap}a{color:inherit}}\n";

void html_page_begin(FILE *file, const char *title, const char *style) {
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>",
      file);
  html_text(file, title);
  fprintf(file, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<main>\n", common_style, style);
}

void html_page_end(FILE *file) { fputs("</main>\n</body>\n</html>\n", file); }
