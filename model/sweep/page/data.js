// What the page shows: columns and rows of the study, what is asked of them in the table's filters, and their order.
// SPDX-License-Identifier: Apache-2.0
'use strict';

const study = JSON.parse(document.getElementById('study').textContent);
const columns = study.columns.map((column, index) => ({...column, index}));
const column = name => columns.find(c => c.name === name);
const statusColumn = column('status'), commandColumn = column('command'), errorColumn = column('error');
const numberOf = new Map(study.rows.map((row, i) => [row, i]));
const measured = columns.filter(c => c.kind !== 'fact' && (c.numbers || c.values));   // what can be an axis of a plot

// A cell as text: null is nothing.
function shown(value) {
  if (value === null) return '';
  if (typeof value !== 'number') return value;
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? String(value) : String(Number(value.toPrecision(6)));
}

// Where a row is along an axis of a plot: a number; of texts their index in the study. null: it is not known.
function placeOf(row, c) {
  if (c.numbers) return row[c.index];
  const index = c.values.indexOf(row[c.index]);
  return index < 0 ? null : index;
}

// --- filters --------------------------------------------------------------------------------------------------------

// `>5`, `<=3`, `=x`, `!=x`; anything else is to be found in the text. A function of a cell; null: nothing is asked.
function parseFilter(text) {
  const [, operator, rest] = /^\s*(<=|>=|!=|<|>|=)?\s*(.*?)\s*$/s.exec(text);
  if (rest === '') return null;
  if (!operator) return value => shown(value).toLowerCase().includes(rest.toLowerCase());
  const number = Number(rest), nothing = value => value === null || value === '';
  const compare = value => typeof value === 'number' && !Number.isNaN(number) ? value - number :
    String(value).localeCompare(rest, 'en');
  switch (operator) {
    case '<': return value => !nothing(value) && compare(value) < 0;
    case '<=': return value => !nothing(value) && compare(value) <= 0;
    case '>': return value => !nothing(value) && compare(value) > 0;
    case '>=': return value => !nothing(value) && compare(value) >= 0;
    case '=': return value => !nothing(value) && compare(value) === 0;
    default: return value => nothing(value) || compare(value) !== 0;
  }
}

function rowsThatPass(filters) {
  return study.rows.filter(row => filters.every((filter, i) => !filter || filter(row[i])));
}

// --- order ----------------------------------------------------------------------------------------------------------

function compareCells(c, a, b) {
  if (c.values) [a, b] = [c.values.indexOf(a), c.values.indexOf(b)];
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en');
}

// Rows that have nothing there come last, either way.
function sorted(rows, c, down) {
  const nothing = row => row[c.index] === null || row[c.index] === '';
  return [...rows].sort((a, b) => nothing(a) || nothing(b) ? nothing(a) - nothing(b) :
    (down ? -1 : 1) * compareCells(c, a[c.index], b[c.index]));
}

// --- the best -------------------------------------------------------------------------------------------------------

// Of points {x, y} those than which none is better in one way and as good in the other, the best x first.
function frontOf(points, mostX, mostY) {
  const worth = p => [mostX ? -p.x : p.x, mostY ? -p.y : p.y];
  const order = points.map(p => [...worth(p), p]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const kept = [];
  let best = Infinity;
  for (const [, y, point] of order) {
    if (y < best) {
      kept.push(point);
      best = y;
    }
  }
  return kept;
}

// Of points with the same key the best by value, in the order of their first ones.
function bestOf(points, key, value, most) {
  const best = new Map();
  for (const point of points) {
    const other = best.get(key(point));
    if (!other || (most ? value(point) > value(other) : value(point) < value(other))) best.set(key(point), point);
  }
  return [...best.values()];
}
