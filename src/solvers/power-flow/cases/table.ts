/** A published case as rows of numbers, with its solution. */
export interface CaseTable {
  readonly baseMVA: number;
  /** Number, type, P_d, Q_d [MW, MVAr], G_s, B_s [MW, MVAr at 1 pu], base [kV]. */
  readonly buses: readonly (readonly number[])[];
  /** Bus, P_g, Q_g, Q_max, Q_min [MW, MVAr], V_g [pu]. */
  readonly generators: readonly (readonly number[])[];
  /** From, to, r, x, b [pu], ratio (0: a line), angle [deg]. */
  readonly branches: readonly (readonly number[])[];
  /** Bus, V [pu], θ [deg]. */
  readonly solution: readonly (readonly number[])[];
}
