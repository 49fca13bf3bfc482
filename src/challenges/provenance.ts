import { house } from '../../mesh/decide/run.ts';
import { meshSpans } from '../../mesh/records.ts';
import type { Reader } from '../store/store.ts';
import type { Party, Provenance } from './ports.ts';

/** Name of a job's run on the mesh. */
export const meshRun = (job: string, run: number | bigint): string => `${job}-${run}`;

/**
 * What the mesh accepted of a run says who computed it, unless the answer is made of what the house found in its place;
 * of a run that was not on the mesh, the house did.
 */
export function spanProvenance(reader: Reader): Provenance {
  return {
    async computedBy(job, run, { from, through }) {
      const spans = await reader.find(meshSpans, {
        where: {
          run: meshRun(job, run),
          from_segment: { lte: BigInt(through) },
          to_segment: { gte: BigInt(from) },
        },
      });
      const sealed = spans.filter(({ owner, replaced_by: by }) => (by ?? owner) !== house);
      return [...new Map(sealed.map(({ node, owner }): [string, Party] => [node, { node, owner }])).values()];
    },
  };
}
