import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { verifyAnswer } from '../../src/proof/verify.ts';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { reexecute } from '../../workers/reexecute.ts';
import { knownReleases } from '../../workers/rerun-releases.ts';
import { repositoryRoot } from '../root.ts';

// Answers that earlier releases sealed, as they left them: they verify and run again for ever, with their own kernels.

/** Of the nodes that sealed them, whose secret keys are gone. */
const vkeys = [
  'proofmesh-0ceb4cd4d3f9+8086cb47+AYtqarHG1mo9wB2Q73GnCcsukPRvz4h+lEO6FO47jmMT',
  'proofmesh-661333617b06+a0dec7fe+AY/24fYzWFKVH7gJ+nCiDomnN94WYOGNFbqCdtBk9/Hu',
  'proofmesh-c199c4359912+0e8b1282+Ablvyb4JUljHYSsDPZcsO12iamZCRyTOO3pTykRoBrcZ',
  'proofmesh-77ca16997456+17d49a88+ARZueVe/pv+kh+M267Qz1K1qnTE71H2OUno63cJhVKb2',
  'proofmesh-587cfe11f674+5000928b+AZcq0UeavQ3/33KysS4LPUtXx5ei4yLUjlkafw9ejD9a',
  'proofmesh-735282a4c1eb+c5d2838a+AcoZh8wb74pDBXxq2V9yzwP4rxnJUUSS/YGCjdM/adGh',
  'proofmesh-132617a53f15+b6269193+ARGa8Y5rEnkDWsp8vH4w949swodrUxu88b8/If0HU9hM',
  'proofmesh-5567e03813b5+e197153f+ATcdoPNEmnxOoqWnODg+77d4Qbe6F9GcV/agRINqK6+J',
  'proofmesh-c88cbd9c8fc5+9c7db0ad+AUsDT7JvBQEYrU2zuqcmnqpdTOZ8P9GiOooC73tm6CMt',
  'proofmesh-53b9d4b971c5+9eb2777f+ARrO2B+B16EeL5nc0klSi+YR9Uzj4IRje9fDIpwuMx8/',
  'proofmesh-3783f86b6894+891d1609+AVCCoUz8yKPO9ljPYWc4wsyVVL1s6YPBB2TOYNbIlJig',
  'proofmesh-879942d2a70a+d594df4b+AVIhaC+1BwPO2qOfQq3A+D2MLlhnZnJ50oYMc+5RIxe4',
  'proofmesh-c8087b634903+3d5efc4a+AfYjNYpp/dl2qYOFLAPwxX7gDs7US+gWhiXWSmLqhFkS',
];
const folder = join(repositoryRoot, 'test', 'proof', 'released');
const catalogue = new KernelCatalogue();

/** Z(1000) by mpmath with 25 digits; 3, 4, 5; the damped oscillator at t = 3 in closed form. */
const values: Record<string, number> = { zeta: 0.99779463752159, compute: 5, solve: -0.05516721738692994 };

for (const name of readdirSync(folder))
  t.test(`${name} is sound, and its kernels give the same digests`, async (t) => {
    const file = readAnswer(readFileSync(join(folder, name)));
    const [, solver, version] = /^(\w+)-([\d.]+)\.json$/.exec(name)!;
    t.match(file.answer.envelope, { solver, engine_version: version });
    t.ok(Math.abs(file.answer.value / values[solver!]! - 1) < 1e-3);
    const releases = knownReleases();
    t.match(verifyAnswer(file, { vkeys, releases, strict: true }), { verdict: 'SOUND' });
    const rerun = await reexecute(file, { releases, kernel: (digest) => catalogue.bytes(digest) });
    t.match(rerun, { agrees: true, release: { known: true } });
  });
