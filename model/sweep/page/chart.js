// The plot: points and their Pareto front, lines, or a heat map, as SVG.
// SPDX-License-Identifier: Apache-2.0

const chart = document.getElementById('chart'), legend = document.getElementById('legend');
const frame = {width: 900, height: 500, left: 84, right: 24, top: 16, bottom: 56};
const colors = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', 'var(--text)', '#a0a000'];
const colorOf = index => colors[index % colors.length];
let marks = [];   // what is under the mouse may be one of these: {x, y (in the drawing), row}

function draw(name, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  chart.append(element);
  return element;
}

// --- scales ---------------------------------------------------------------------------------------------------------

// 1, 2, 5, 10, ... times a power of ten, some six of them.
function niceTicks(from, to) {
  const rough = (to - from) / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(x => x * power >= rough);
  const ticks = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function logTicks(from, to) {
  const ticks = [], few = to / from < 1000;
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; ++power) {
    for (const step of few ? [1, 2, 5] : [1]) {
      const tick = Number(`${step}e${power}`);
      if (tick >= from && tick <= to) ticks.push(tick);
    }
  }
  return ticks;
}

function ticksOf(c, from, to, log) {
  if (c.values && (!c.numbers || c.values.length <= 14)) {
    return c.values.map((text, i) => [c.numbers ? Number(text) : i, text]).filter(([at]) => at >= from && at <= to);
  }
  return (log ? logTicks(from, to) : niceTicks(from, to)).map(at => [at, shown(at)]);
}

// From the values of a column to the drawing, from `low` to `high`.
function scaleOf(c, values, log, low, high) {
  let from = Math.min(...values), to = Math.max(...values);
  if (!values.length) [from, to] = log ? [.1, 1] : [0, 1];
  else if (log) {
    const room = Math.max((to / from) ** .05, 1.05);
    [from, to] = [from / room, to * room];
  } else {
    const room = to > from ? (to - from) * .05 : Math.abs(to) * .1 || .5;
    [from, to] = [from - room, to + room];
  }
  const along = log ? value => Math.log(value / from) / Math.log(to / from) : value => (value - from) / (to - from);
  const scale = value => low + along(value) * (high - low);
  scale.ticks = ticksOf(c, from, to, log);
  return scale;
}

// Different values side by side, one cell each.
function cellScale(c, values, low, high) {
  const list = [...new Set(values)].sort((a, b) => a - b), width = (high - low) / Math.max(list.length, 1);
  const scale = value => low + (list.indexOf(value) + .5) * width;
  const every = Math.ceil(list.length / 20);
  scale.width = Math.abs(width);
  scale.ticks = list.filter((_, i) => i % every === 0).map(at => [at, c.numbers ? shown(at) : c.values[at]]);
  return scale;
}

// --- frame ----------------------------------------------------------------------------------------------------------

function drawAxes(view, x, y) {
  const {width, height, left, right, top, bottom} = frame;
  for (const [at, text] of x.ticks) {
    draw('line', {x1: x(at), x2: x(at), y1: top, y2: height - bottom, class: 'grid'});
    draw('text', {x: x(at), y: height - bottom + 18, 'text-anchor': 'middle'}, text);
  }
  for (const [at, text] of y.ticks) {
    draw('line', {x1: left, x2: width - right, y1: y(at), y2: y(at), class: 'grid'});
    draw('text', {x: left - 8, y: y(at) + 4, 'text-anchor': 'end'}, text);
  }
  draw('rect', {x: left, y: top, width: width - left - right, height: height - top - bottom, class: 'frame'});
  draw('text', {x: (left + width - right) / 2, y: height - 12, 'text-anchor': 'middle', class: 'label'}, view.x.head);
  draw('text', {transform: `translate(16 ${(top + height - bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle',
    class: 'label'}, view.y.head);
}

function addLegend(color, text) {
  const item = document.createElement('span'), dot = document.createElement('i');
  dot.style.background = color;
  item.append(dot, text);
  legend.append(item);
}

// --- points ---------------------------------------------------------------------------------------------------------

// The rows' places: of what is done, and of what failed or was dropped as far as it is known.
function pointsOf(view, rows) {
  const known = value => value !== null && Number.isFinite(value);
  const at = (row, c, log) => {
    const value = placeOf(row, c);
    return known(value) && (!log || value > 0) ? value : null;
  };
  const points = rows.map(row => ({row, status: row[statusColumn.index], x: at(row, view.x, view.logX),
    y: at(row, view.y, view.logY), value: view.kind === 'heat' ? row[view.value.index] : 0,
    series: view.series ? shown(row[view.series.index]) : ''}));
  const done = points.filter(p => p.status === 'done' && p.x !== null && p.y !== null && p.value !== null);
  const apart = points.filter(p => (p.status === 'failed' || p.status === 'dropped') && (p.x !== null || p.y !== null));
  return {done, apart, lost: points.length - done.length - apart.length};
}

function drawApart(points, x, y) {
  for (const p of points) {
    const px = p.x === null ? frame.left : x(p.x), py = p.y === null ? frame.height - frame.bottom : y(p.y);
    const d = p.status === 'failed' ? 'M-5-5L5 5M-5 5L5-5' : 'M-4 0H4M0-4V4';
    draw('path', {d, transform: `translate(${px} ${py})`, class: p.status, 'data-row': numberOf.get(p.row)});
    marks.push({x: px, y: py, row: p.row});
  }
}

function drawSeries(view, points, color, x, y) {
  const most = view.mostY;
  const chosen = view.kind === 'pareto' ? frontOf(points, view.mostX, most) :
    bestOf(points, p => p.x, p => p.y, most).sort((a, b) => a.x - b.x);
  const isChosen = new Set(chosen), rest = points.filter(p => !isChosen.has(p));
  for (const [list, r] of [[rest, 2.5], [chosen, 4.5]]) {
    for (const p of list) {
      draw('circle', {cx: x(p.x), cy: y(p.y), r, fill: color, class: r > 3 ? 'chosen' : 'point',
        'data-row': numberOf.get(p.row)});
      marks.push({x: x(p.x), y: y(p.y), row: p.row});
    }
  }
  const to = view.kind === 'pareto' ? p => `H${x(p.x)}V${y(p.y)}` : p => `L${x(p.x)} ${y(p.y)}`;
  if (chosen.length > 1) {
    draw('path', {d: `M${x(chosen[0].x)} ${y(chosen[0].y)}` + chosen.slice(1).map(to).join(''), stroke: color,
      class: 'line'});
  }
}

function drawPoints(view, {done, apart}) {
  const all = [...done, ...apart], values = key => all.map(p => p[key]).filter(v => v !== null);
  const x = scaleOf(view.x, values('x'), view.logX, frame.left, frame.width - frame.right);
  const y = scaleOf(view.y, values('y'), view.logY, frame.height - frame.bottom, frame.top);
  const series = [...new Set(done.map(p => p.series))];
  drawAxes(view, x, y);
  drawApart(apart, x, y);
  series.forEach((name, i) => {
    drawSeries(view, done.filter(p => p.series === name), colorOf(i), x, y);
    addLegend(colorOf(i), view.series ? `${view.series.name} ${name}` :
      view.kind === 'pareto' ? 'Pareto front' : view.y.name);
  });
}

// --- heat map -------------------------------------------------------------------------------------------------------

function heatColor(share) {
  const mix = (a, b) => Math.round(a + (b - a) * share);
  return `rgb(${mix(244, 95)},${mix(249, 168)},${mix(255, 224)})`;
}

function drawCell(p, x, y, attributes) {
  draw('rect', {x: x(p.x) - x.width / 2, y: y(p.y) - y.width / 2, width: x.width, height: y.width,
    'data-row': numberOf.get(p.row), ...attributes});
  marks.push({x: x(p.x), y: y(p.y), row: p.row, halfWidth: x.width / 2, halfHeight: y.width / 2});
}

function drawHeat(view, {done, apart}) {
  const key = p => `${p.x} ${p.y}`;
  const cells = bestOf(done, key, p => p.value, view.mostValue), filled = new Set(cells.map(key));
  const empty = bestOf(apart.filter(p => p.x !== null && p.y !== null && !filled.has(key(p))), key,
    p => p.status === 'failed' ? 0 : 1, false);
  const all = [...cells, ...empty];
  const x = cellScale(view.x, all.map(p => p.x), frame.left, frame.width - frame.right);
  const y = cellScale(view.y, all.map(p => p.y), frame.height - frame.bottom, frame.top);
  const least = Math.min(...cells.map(p => p.value)), most = Math.max(...cells.map(p => p.value));
  for (const p of cells) {
    drawCell(p, x, y, {fill: heatColor(most > least ? (p.value - least) / (most - least) : .5), class: 'cell'});
    if (all.length <= 240) {
      draw('text', {x: x(p.x), y: y(p.y) + 4, 'text-anchor': 'middle', class: 'value'},
        String(Number(p.value.toPrecision(4))));
    }
  }
  for (const p of empty) drawCell(p, x, y, {class: `cell empty-${p.status}`});
  drawApart(empty.filter(p => p.status === 'failed'), x, y);
  drawAxes(view, x, y);
  addLegend(heatColor(1), `${view.value.head}: ${cells.length ? `${shown(least)} to ${shown(most)}` : 'nothing'}`);
}

// --------------------------------------------------------------------------------------------------------------------

// view: {kind, x, y, value, series (columns), logX, logY, mostX, mostY, mostValue}
function drawChart(view, rows) {
  const points = pointsOf(view, rows), count = status => points.apart.filter(p => p.status === status).length;
  chart.replaceChildren();
  legend.replaceChildren();
  marks = [];
  (view.kind === 'heat' ? drawHeat : drawPoints)(view, points);
  if (count('failed')) addLegend('#c00020', `failed: ${count('failed')}`);
  if (count('dropped')) addLegend('#888', `dropped by constraints: ${count('dropped')}`);
  if (points.lost) addLegend('transparent', `no place here: ${points.lost}`);
  if (!points.done.length) {
    draw('text', {x: frame.width / 2, y: frame.height / 2, 'text-anchor': 'middle', class: 'label'}, 'no point is done');
  }
}

// The mark nearest to a place in the drawing, if it is near.
function markAt(x, y) {
  let best = null, least = 14;
  for (const mark of marks) {
    const inside = mark.halfWidth && Math.abs(x - mark.x) < mark.halfWidth && Math.abs(y - mark.y) < mark.halfHeight;
    const distance = inside ? 0 : Math.hypot(x - mark.x, y - mark.y);
    if (distance < least) [best, least] = [mark, distance];
  }
  return best;
}
