// The controls, and what the mouse and keys do.
// SPDX-License-Identifier: Apache-2.0

const tip = document.getElementById('tip'), said = document.getElementById('said');
const controls = document.getElementById('controls');
const kinds = {pareto: 'points, Pareto front', lines: 'lines', heat: 'heat map'};
const view = {kind: 'pareto', x: null, y: null, value: null, series: null, logX: false, logY: false,
  mostX: false, mostY: false, mostValue: false};
let rows = study.rows, near = null;

// --- controls -------------------------------------------------------------------------------------------------------

function takePlot(plot) {
  Object.assign(view, {kind: plot.kind, x: column(plot.x), y: column(plot.y), value: column(plot.value) || view.value,
    series: column(plot.series) || null, logX: plot.log_x, logY: plot.log_y});
  for (const [most, c] of [['mostX', view.x], ['mostY', view.y], ['mostValue', view.value]]) {
    view[most] = Boolean(c) && c.better === 'max';
  }
}

function choice(name, list, key, then) {
  const select = make('select', {id: name});
  for (const [value, text] of list) select.append(make('option', {value}, text));
  select.value = key();
  select.onchange = () => {
    then(select.value);
    update();
  };
  return make('label', {}, `${name} `, select);
}

function check(name, id, key) {
  const box = make('input', {type: 'checkbox', id, checked: view[key]});
  box.onchange = () => {
    view[key] = box.checked;
    update();
  };
  return make('label', {}, box, ` ${name}`);
}

// A column for x, y or value, and which of its values are the best.
function columnChoice(name, most) {
  return choice(name, (name === 'value' ? measured.filter(c => c.numbers) : measured).map(c => [c.name, c.head]),
    () => view[name] ? view[name].name : '', value => {
      view[name] = column(value);
      view[most] = view[name].better === 'max';
    });
}

function fillControls() {
  const series = [['', 'none'], ...measured.map(c => [c.name, c.head])];
  const heat = view.kind === 'heat', parts = [
    choice('kind', Object.entries(kinds), () => view.kind, value => { view.kind = value; }),
    columnChoice('x', 'mostX'), columnChoice('y', 'mostY'),
    heat ? columnChoice('value', 'mostValue') : choice('series', series, () => view.series ? view.series.name : '',
      value => { view.series = column(value) || null; })];
  if (!heat) parts.push(check('log x', 'logX', 'logX'), check('log y', 'logY', 'logY'));
  if (view.kind === 'pareto') parts.push(check('more x is better', 'mostX', 'mostX'));
  parts.push(heat ? check('more is better', 'mostValue', 'mostValue') : check('more y is better', 'mostY', 'mostY'));
  const focus = document.activeElement && document.activeElement.id;
  controls.replaceChildren(...parts);
  if (focus && controls.querySelector(`#${focus}`)) controls.querySelector(`#${focus}`).focus();
}

function fillPlots() {
  const bar = document.getElementById('plots');
  for (const plot of study.plots) {
    const button = make('button', {type: 'button'}, plot.title || plot.name);
    button.onclick = () => {
      takePlot(plot);
      update();
    };
    bar.append(button);
  }
}

function update() {
  rows = rowsThatPass(filters);
  point(null);
  fillControls();
  drawChart(view, rows);
  fillBody(rows);
  document.getElementById('count').textContent = rows.length === study.rows.length ? `${rows.length} points` :
    `${rows.length} of ${study.rows.length} points pass the filters`;
}

// --- what is pointed at ---------------------------------------------------------------------------------------------

function describe(row) {
  const list = make('dl', {});
  for (const c of columns) {
    const text = shown(row[c.index]);
    if (text !== '' && (c.kind !== 'fact' || c === errorColumn || c === statusColumn)) {
      list.append(make('dt', {}, c.head), make('dd', {}, text));
    }
  }
  return [list, make('code', {}, row[commandColumn.index]), make('p', {className: 'soft'}, 'click copies the command')];
}

function point(mark) {
  if (near) rowElements.get(near.row)?.classList.remove('near');
  near = mark;
  tip.hidden = !mark;
  chart.querySelector('.ring')?.remove();
  if (!mark) return;
  rowElements.get(mark.row)?.classList.add('near');
  draw('circle', {cx: mark.x, cy: mark.y, r: 8, class: 'ring'});
  tip.replaceChildren(...describe(mark.row));
  const box = chart.getBoundingClientRect(), around = chart.parentElement.getBoundingClientRect();
  const x = box.left - around.left + mark.x * box.width / frame.width;
  tip.style.top = `${box.top - around.top + mark.y * box.height / frame.height + 14}px`;
  tip.style.left = `${Math.max(0, Math.min(x + 14, around.width - tip.offsetWidth - 8))}px`;
}

function markUnder(event) {
  const box = chart.getBoundingClientRect();
  return markAt((event.clientX - box.left) * frame.width / box.width,
    (event.clientY - box.top) * frame.height / box.height);
}

// The next mark to the right or left.
function step(by) {
  const line = [...marks].sort((a, b) => a.x - b.x || a.y - b.y), at = near ? line.indexOf(near) : -1;
  if (line.length) point(line[(at + by + line.length + (at < 0 && by < 0 ? 1 : 0)) % line.length]);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {   // not allowed to pages of this origin
    const area = make('textarea', {value: text});
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  said.textContent = `copied: ${text}`;
}

// --------------------------------------------------------------------------------------------------------------------

chart.setAttribute('viewBox', `0 0 ${frame.width} ${frame.height}`);
chart.onpointermove = event => {
  const mark = markUnder(event);
  if (mark !== near) point(mark);
};
chart.onpointerleave = () => point(null);
chart.onclick = event => {
  const mark = markUnder(event);
  if (mark) copy(mark.row[commandColumn.index]);
};
chart.onkeydown = event => {
  if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') step(event.key === 'ArrowRight' ? 1 : -1);
  else if (event.key === 'Enter' && near) copy(near.row[commandColumn.index]);
  else if (event.key === 'Escape') point(null);
  else return;
  event.preventDefault();
};
tableBody.onclick = event => {
  const cell = event.target.closest('td.command');
  if (cell) copy(cell.textContent);
};

fillPlots();
fillHead(update);
const firstMetric = measured.find(c => c.kind === 'metric') || measured[0];
takePlot({kind: 'pareto', x: measured[0].name, y: firstMetric.name, value: firstMetric.name, log_x: false, log_y: false});
if (study.plots.length) takePlot(study.plots[0]);
update();
