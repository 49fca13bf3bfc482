import t from 'tap';
import { testApp } from './test-app.ts';

// What a person types, over the route: units, uncertainties and left sides as books print them, and what is said where
// they cannot be read.

t.test('compute answers what is typed as it is printed', async (t) => {
  const api = await testApp(t);
  for (const [equation, inputs, value, unit] of [
    // NIST SP 811, B.8: 1 rpm is 0.104 719 8 rad/s.
    ['P = T*omega', { T: '200 N*m', omega: '3000 rpm' }, 62831.85307179586, 'W'],
    ['P = 2*pi*n*T', { T: '200 newton metres', n: '3000 r/min' }, 62831.85307179586, 'W'],
    ['A = x^2', { x: '3.0(2) m' }, 9, 'm^2'],
    ['EOQ = \\sqrt{\\frac{2DS}{H}}', { D: 50, S: 4, H: 1 }, 20, null],
    ['U(z) = m*g*z', { m: '2 kg', g: '9.81 m/s^2', z: '10 m' }, 196.20000000000002, 'J'],
    ["f' = f*(v + v_o)/v", { f: '100 Hz', v: '340 m/s', v_o: '34 m/s' }, 110, '1/s'],
  ] as const) {
    const { status, body } = await api.post('/api/svc/compute', { equation, inputs });
    t.equal(status, 200, equation);
    t.ok(Math.abs(body.value / value - 1) < 1e-14, `${equation}: ${body.value}`);
    t.equal(body.unit, unit, equation);
  }
});

t.test('and says what to write in the characters that were sent', async (t) => {
  const api = await testApp(t);
  for (const [equation, inputs, message] of [
    [
      'x',
      { x: '(3 ± 0,1) m' },
      'inputs.x is "(3 ± 0,1) m", no number with a unit; accepted: 3, 3 km/h or 3 ± 0.1 km/h, with a decimal point.',
    ],
    ['x', { x: '3 mhz' }, 'inputs.x.unit is "mhz"; accepted: MHz or mHz.'],
    ['x', { x: '20 ℃/foo' }, 'inputs.x.unit is "℃/foo"; accepted: foot.'],
    [
      'E=mc^2',
      { m: '1 kg', c: '3 m/s' },
      'inputs.m is no input here; mc is one name here, write m*c for the product; accepted: mc.',
    ],
    [
      'P = T*speed',
      { T: '2 N*m', speed: '60 rpm' },
      'inputs.speed.unit is "rpm", which counts turns, which are cycles to some and 2π rad to others; accepted: rad/s, where 1 rpm is 0.1047198 rad/s, or 1/s, where it is 0.0166667 1/s, or a name that says which: omega or n.',
    ],
  ] as const) {
    const { status, body } = await api.post('/api/svc/compute', { equation, inputs });
    t.equal(status, 400, equation);
    t.equal(body.error.message, message);
  }
});
