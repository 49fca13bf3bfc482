/**
 * The rooms and what each may know: imports go down the floors, never up, and to a neighbour on the same floor only
 * where the table says so. A folder of src/ that is not named here is a feature.
 */

const ground = ['src/errors', 'src/clock', 'src/units', 'src/version'];
const spine = [
  ...['src/spine', 'src/ledger', 'src/operators', 'src/solvers', 'workers', 'mesh'],
  ...['src/proof', 'src/store', ...ground],
];

/** Same-floor neighbours that features may know, with the reason beside each. */
const neighbours: Readonly<Record<string, readonly string[]>> = {};

const mayKnow: Readonly<Record<string, readonly string[]>> = {
  assembly: [],
  'src/errors': [],
  'src/version': [],
  'src/clock': ['src/errors'],
  'src/units': ['src/errors'],
  'src/store': ground,
  'src/proof': ground,
  workers: ['src/proof', ...ground],
  'src/operators': ['src/proof', ...ground],
  // compute is a solver over the registry of operators.
  'src/solvers': ['src/operators', 'src/proof', ...ground],
  'src/ledger': ['src/store', ...ground],
  // Every commit of the mesh is a compare-and-set in the store.
  mesh: ['workers', 'src/proof', 'src/store', ...ground],
  'src/spine': spine,
};

const surfaces = ['src/http', 'src/mcp', 'src/cli', 'src/console'];
/** A node without its surfaces: wires stores, threads and the spine; knows all but surfaces, which stand on it. */
const node = 'src/node';
/** Wires the surfaces by configuration; knows everything, and only the command line knows it. */
const composition = 'src/main';
const outside = ['test', 'bench', 'scripts'];

/** The room of a file: `workers`, `src/proof`, `src/main`. */
export function roomOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return top === 'src' ? `src/${second.replace(/\.ts$/, '')}` : top;
}

const isFeature = (room: string): boolean =>
  room.startsWith('src/') && !(room in mayKnow) && ![...surfaces, node, composition].includes(room);

/** Whether a file of room `from` may import a file of room `to`. */
export function mayImport(from: string, to: string): boolean {
  if (from === to || outside.includes(from)) return true;
  if (outside.includes(to) || to === 'assembly') return false;
  if (from === composition) return true;
  if (to === composition) return from === 'src/cli';
  if (from === node) return spine.includes(to) || isFeature(to);
  if (to === node) return surfaces.includes(from);
  if (from in mayKnow) return mayKnow[from]!.includes(to);
  if (isFeature(from)) return spine.includes(to) || (neighbours[from] ?? []).includes(to);
  // `svc up` starts the HTTP surface.
  if (from === 'src/cli' && to === 'src/http') return true;
  return surfaces.includes(from) && !surfaces.includes(to);
}
