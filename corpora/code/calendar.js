/* Draws a month as a table. No library, no framework; click a day to mark it. */
(function () {
  'use strict';

  var NAMES = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
  var marked = new Set(JSON.parse(localStorage.getItem('marked') || '[]'));

  function pad(n) { return n < 10 ? '0' + n : String(n); }
  function key(y, m, d) { return [y, pad(m + 1), pad(d)].join('-'); }

  function cell(tag, text, cls) {
    var el = document.createElement(tag);
    el.textContent = text;
    if (cls) el.className = cls;
    return el;
  }

  function render(root, year, month) {
    var first = (new Date(year, month, 1).getDay() + 6) % 7; // Monday is 0
    var days = new Date(year, month + 1, 0).getDate();
    var table = document.createElement('table');
    var head = table.createTHead().insertRow();
    NAMES.forEach(function (n) { head.appendChild(cell('th', n)); });

    var row = null;
    for (var i = 0; i < first + days; i++) {
      if (i % 7 === 0) row = table.insertRow();
      if (i < first) { row.appendChild(cell('td', '')); continue; }
      var k = key(year, month, i - first + 1);
      var td = cell('td', i - first + 1, marked.has(k) ? 'on' : '');
      td.dataset.day = k;
      row.appendChild(td);
    }
    root.replaceChildren(table);
  }

  document.addEventListener('click', function (ev) {
    var day = ev.target.dataset && ev.target.dataset.day;
    if (!day) return;
    marked.has(day) ? marked.delete(day) : marked.add(day);
    ev.target.classList.toggle('on');
    localStorage.setItem('marked', JSON.stringify(Array.from(marked)));
  });

  var now = new Date();
  render(document.getElementById('calendar'), now.getFullYear(), now.getMonth());
})();
