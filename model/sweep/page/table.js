// The table: sorted by a click on a column's head, filtered by the fields below the heads.
// SPDX-License-Identifier: Apache-2.0

const tableHead = document.querySelector('#table thead'), tableBody = document.querySelector('#table tbody');
const filters = columns.map(() => null);
const order = {column: null, down: false};

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function makeRow(row) {
  const tr = make('tr', {className: row[statusColumn.index]});
  for (const c of columns) {
    const text = shown(row[c.index]);
    tr.append(c === commandColumn ? make('td', {className: 'command', title: 'copy'}, make('code', {}, text)) :
      make('td', {className: c.numbers ? 'number' : c === errorColumn ? 'long' : ''}, text));
  }
  tr.dataset.row = numberOf.get(row);
  return tr;
}

const rowElements = new Map(study.rows.map(row => [row, makeRow(row)]));

function fillBody(rows) {
  const list = order.column ? sorted(rows, order.column, order.down) : rows;
  tableBody.replaceChildren(...list.map(row => rowElements.get(row)));
}

// changed: called when what passes the filters, or the order, has changed.
function fillHead(changed) {
  const names = make('tr', {}), fields = make('tr', {className: 'filters'});
  columns.forEach((c, i) => {
    const button = make('button', {type: 'button'}, c.head), th = make('th', {className: c.numbers ? 'number' : ''}, button);
    button.onclick = () => {
      order.down = order.column === c && !order.down;
      order.column = c;
      for (const other of names.children) other.removeAttribute('aria-sort');
      th.setAttribute('aria-sort', order.down ? 'descending' : 'ascending');
      changed();
    };
    names.append(th);
    const field = make('input', {type: 'text', size: 6, placeholder: c.numbers ? '>5' : 'text'});
    field.setAttribute('aria-label', `filter ${c.name}`);
    field.oninput = () => {
      filters[i] = parseFilter(field.value);
      changed();
    };
    fields.append(make('td', {}, field));
  });
  tableHead.replaceChildren(names, fields);
}
