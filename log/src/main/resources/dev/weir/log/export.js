const table = document.getElementById('samples');
const body = table.tBodies[0];
table.querySelectorAll('th').forEach((heading, column) => heading.querySelector('button').addEventListener('click', () => {
  const up = heading.getAttribute('aria-sort') !== 'ascending';
  table.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
  heading.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  const rows = [...body.rows].map(row => ({ row, text: row.cells[column].textContent, isNumber: row.cells[column].className === 'number' }));
  rows.sort((a, b) => {
    if (!a.text || !b.text) return !a.text - !b.text; // what is not there comes last
    const order = a.isNumber && b.isNumber ? Number(a.text) - Number(b.text) : a.text.localeCompare(b.text, undefined, { numeric: true });
    return up ? order : -order;
  });
  body.append(...rows.map(entry => entry.row));
}));
