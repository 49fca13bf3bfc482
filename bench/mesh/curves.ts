import type { Census, MeshSize } from '../../test/mesh/simulator/census.ts';

export interface Counted {
  readonly size: MeshSize;
  readonly counted: Census;
}

interface Curve {
  readonly name: string;
  readonly colour: string;
  readonly of: (counted: Census) => number;
}

interface Panel {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly isLog: boolean;
  readonly marks: readonly number[];
  readonly curves: readonly Curve[];
}

const panels: readonly Panel[] = [
  {
    title: 'throughput, segments/s',
    ...{ from: 1, to: 10_000, isLog: true, marks: [1, 10, 100, 1000, 10_000] },
    curves: [{ name: 'accepted', colour: '#1f6feb', of: ({ segmentsPerSecond }) => segmentsPerSecond }],
  },
  {
    title: 'queue delay, ms',
    ...{ from: 10, to: 10_000, isLog: true, marks: [10, 100, 1000, 10_000] },
    curves: [
      { name: 'p50', colour: '#1f6feb', of: ({ queueMs }) => queueMs.p50 },
      { name: 'p99', colour: '#bc4c00', of: ({ queueMs }) => queueMs.p99 },
    ],
  },
  {
    title: 'checked over useful work, %',
    ...{ from: 0, to: 6, isLog: false, marks: [0, 1, 2, 3, 4, 5, 6] },
    curves: [{ name: 'sampled', colour: '#1f6feb', of: ({ overhead }) => 100 * overhead }],
  },
];

const [WIDTH, HEIGHT, LEFT, TOP] = [210, 150, 56, 34];
const sizeMarks = [10, 100, 1000, 10_000];
const across = (nodes: number): number => LEFT + (WIDTH * (Math.log10(nodes) - 1)) / 3;

function up({ from, to, isLog }: Panel, value: number): number {
  const share = isLog ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
  return TOP + HEIGHT * (1 - Math.min(1, Math.max(0, share)));
}

const text = (x: number, y: number, anchor: string, words: string, colour = '#57606a'): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${colour}">${words}</text>`;

function gridOf(panel: Panel): string[] {
  const rows = panel.marks.flatMap((mark) => {
    const y = up(panel, mark);
    return [
      `<path d="M${LEFT} ${y.toFixed(1)}h${WIDTH}" stroke="#d0d7de"/>`,
      text(LEFT - 6, y + 4, 'end', mark.toLocaleString('en-US')),
    ];
  });
  const columns = sizeMarks.map((mark) =>
    text(across(mark), TOP + HEIGHT + 16, 'middle', mark.toLocaleString('en-US')),
  );
  return [...rows, ...columns, text(LEFT + WIDTH / 2, TOP + HEIGHT + 34, 'middle', 'nodes')];
}

function curveOf(panel: Panel, { name, colour, of }: Curve, all: readonly Counted[]): string[] {
  const points = all.map(({ size, counted }) => [across(size.nodes), up(panel, of(counted))] as const);
  const [x, y] = points.at(-1)!;
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')}"/>`,
    ...points.map(([x, y]) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="${colour}"/>`),
    text(x - 6, y - 8, 'end', name, colour),
  ];
}

/** Throughput, queue delay and cost of checking over the number of nodes, side by side. */
export function curvesSvg(all: readonly Counted[]): string {
  const step = WIDTH + LEFT + 30;
  const drawn = panels.map((panel, i) => {
    const title = text(LEFT, TOP - 14, 'start', panel.title, '#24292f');
    const curves = panel.curves.flatMap((curve) => curveOf(panel, curve, all));
    return `<g transform="translate(${i * step} 0)">\n${[title, ...gridOf(panel), ...curves].join('\n')}\n</g>`;
  });
  const [width, height] = [panels.length * step, TOP + HEIGHT + 44];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<title>The simulated mesh from 10 to 10,000 nodes</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${drawn.join('\n')}
</svg>
`;
}
