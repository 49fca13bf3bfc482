import type { Application } from './apply.ts';
import type { Value } from './bytecode.ts';

const HEADER = 16;
const VALUE = 24;

/** The parameter block of the expression kernel (assembly/kernels/expression.ts) for these programs, in order. */
export function expressionParameters(applications: readonly Application[]): Uint8Array {
  const values = applications.flatMap((application) => [
    ...application.values,
    ...application.operator.program.literals,
  ]);
  const words = applications.reduce((sum, { operator }) => sum + operator.program.code.length, 0);
  const codeAt = HEADER + VALUE * values.length + 8 * applications.length;
  const view = new DataView(new ArrayBuffer((codeAt + 4 * words + 7) & ~7));
  view.setInt32(0, applications.length, true);
  view.setInt32(4, values.length, true);
  view.setInt32(8, words, true);
  view.setInt32(12, Math.max(...applications.map(({ operator }) => operator.program.depth)), true);
  values.forEach((value, i) => {
    writeValue(view, HEADER + VALUE * i, value);
  });
  writePrograms(view, applications, HEADER + VALUE * values.length, codeAt);
  return new Uint8Array(view.buffer);
}

function writeValue(view: DataView, at: number, { hi, lo, sigma }: Value): void {
  view.setFloat64(at, hi, true);
  view.setFloat64(at + 8, lo, true);
  view.setFloat64(at + 16, sigma, true);
}

/** Each program's pushes count from its own first value. */
function writePrograms(
  view: DataView,
  applications: readonly Application[],
  tableAt: number,
  codeAt: number,
): void {
  let [word, firstValue] = [0, 0];
  applications.forEach(({ operator: { program } }, j) => {
    view.setInt32(tableAt + 8 * j, word, true);
    view.setInt32(tableAt + 8 * j + 4, program.code.length, true);
    for (const instruction of program.code) {
      const push = (instruction & 0xff) === 0;
      view.setInt32(codeAt + 4 * word++, push ? instruction + (firstValue << 8) : instruction, true);
    }
    firstValue += program.symbols.length + program.literals.length;
  });
}

/** Work units that the kernel will spend: the programs, and a derivative pass for each uncertain value. */
export function expressionWork(applications: readonly Application[]): number {
  const uncertain = applications.reduce(
    (count, { values, operator }) =>
      count + [...values, ...operator.program.literals].filter(({ sigma }) => sigma !== 0).length,
    0,
  );
  return applications.reduce(
    (sum, { operator }) => sum + operator.program.work + uncertain * operator.program.derivativeWork,
    0,
  );
}
