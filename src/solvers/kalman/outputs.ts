import { continues, type Outputs } from '../outputs.ts';

/** State and measurements are in units of the caller's own, which are not known here. */
export const outputs: Outputs = {
  finalState: ['1', 'State x and covariance P after the last measurement, to go on from.'],
  covariance: ['1', 'Covariance that the filter settles to; steady.'],
  priorCovariance: ['1', 'Covariance before the last measurement.'],
  gain: ['1', 'Gain of the last measurement.'],
  logLikelihood: ['1', 'Logarithm of the likelihood of all measurements.'],
  normalisedInnovation: [
    '1',
    'Mean of yᵀS⁻¹y over the measurements: about the number of components of one where the model is right.',
  ],
  measurements: ['1', 'Measurements.'],
  continues,
};
