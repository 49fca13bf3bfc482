/**
 * Physical constants, CODATA 2022 (P. J. Mohr, D. B. Newell, B. N. Taylor, E. Tiesinga; https://physics.nist.gov/constants).
 * Values are decimal numerals as published, so that both words of a double-double come from them; `uncertainty` is the
 * standard one and '0' where the value is exact by the definition of the SI.
 */
export interface Constant {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  readonly uncertainty: string;
  readonly unit: string;
}

export const edition = 'CODATA 2022';

const row = (key: string, name: string, value: string, uncertainty: string, unit: string): Constant => ({
  key,
  name,
  value,
  uncertainty,
  unit,
});

export const constants: ReadonlyMap<string, Constant> = new Map(
  [
    row('c', 'speed of light in vacuum', '299792458', '0', 'm/s'),
    row('h', 'Planck constant', '6.62607015e-34', '0', 'J*s'),
    row('e', 'elementary charge', '1.602176634e-19', '0', 'C'),
    row('k_B', 'Boltzmann constant', '1.380649e-23', '0', 'J/K'),
    row('N_A', 'Avogadro constant', '6.02214076e23', '0', '1/mol'),
    row('G', 'Newtonian constant of gravitation', '6.67430e-11', '0.00015e-11', 'm^3/(kg*s^2)'),
    row('epsilon_0', 'vacuum electric permittivity', '8.8541878188e-12', '0.0000000014e-12', 'F/m'),
    row('mu_0', 'vacuum mag. permeability', '1.25663706127e-6', '0.00000000020e-6', 'N/A^2'),
    row('m_e', 'electron mass', '9.1093837139e-31', '0.0000000028e-31', 'kg'),
    row('m_p', 'proton mass', '1.67262192595e-27', '0.00000000052e-27', 'kg'),
    row('m_n', 'neutron mass', '1.67492750056e-27', '0.00000000085e-27', 'kg'),
    row('u', 'atomic mass constant', '1.66053906892e-27', '0.00000000052e-27', 'kg'),
    row('alpha', 'fine-structure constant', '7.2973525643e-3', '0.0000000011e-3', '1'),
    row('R_inf', 'Rydberg constant', '10973731.568157', '0.000012', '1/m'),
    row('a_0', 'Bohr radius', '5.29177210544e-11', '0.00000000082e-11', 'm'),
  ].map((constant) => [constant.key, constant]),
);
