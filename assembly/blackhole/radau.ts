// Gauss–Radau of order 15 for w'' = f(w) (Everhart, Celest. Mech. 10 (1974) 35; Rein & Spiegel, MNRAS 446 (2015) 1424):
// f along a step is the polynomial through eight nodes, the first where the step begins. Its two integrals are sums over
// the eight values, whose coefficients are those of Lagrange's polynomials ℓⱼ (Hairer, Nørsett & Wanner, Solving Ordinary
// Differential Equations I, §II.7 and II.14):
//
//   w(τᵢ) = w + hτᵢw' + h² Σⱼ fⱼ ∫₀^τᵢ (τᵢ − s) ℓⱼ(s) ds,     w'(1) = w' + h Σⱼ fⱼ ∫₀¹ ℓⱼ(s) ds
//
// repeated until the values stay. Numbers by mpmath with 60 digits.

/** τ₁ to τ₇, and the end of the step. */
const NODES = memory.data<f64>([
  0.056262560536922147, 0.18024069173689236, 0.35262471711316964, 0.54715362633055538, 0.73421017721541053,
  0.88532094683909577, 0.97752061356128750, 1.0,
], 16);
/** A row for each j, for i from 1 to 7 and the end: ∫₀^τᵢ (τᵢ − s) ℓⱼ(s) ds. */
const TWICE = memory.data<f64>([
  0.00087353650169760872, 0.0028292347051319090, 0.0054894889207087437, 0.0085750732492800095,
  0.011443861864242944, 0.013859447520773144, 0.015254770539488652, 0.015625,
  0.00084281087013890980, 0.011351209728611370, 0.027551960716640029, 0.045417275639677850,
  0.062907091328151491, 0.076769141824479518, 0.085428967131920237, 0.087464715198682235,
  -0.00019337353802831657, 0.0023453013456999826, 0.025871749150114341, 0.055964541006026899,
  0.084115960074074919, 0.10731541047639489, 0.12117311393235516, 0.12465695360151909,
  0.000091568618525100597, -0.00038859864365825318, 0.0036235004126035988, 0.036133899976258364,
  0.072052531850012614, 0.10015053714352104, 0.11772429326840345, 0.12187407622906781,
  -0.000049211436419278180, 0.00015572234983542465, -0.00048074103031652313, 0.0039329608813314024,
  0.036129590740306423, 0.066405780829977668, 0.084159331986607467, 0.088661018030373127,
  0.000026182406364877381, -0.000072502477767323579, 0.00016113046343799800, -0.00042217353782967076,
  0.0030975490934718412, 0.025859831083015792, 0.042340745979270191, 0.046116500517662313,
  -0.000012036991259588212, 0.000031178994120808170, -0.000059669083439954922, 0.00011054428293927696,
  -0.00025272430103219904, 0.0016115518718575037, 0.011343257469873600, 0.014314692474057879,
  0.0000032614280661010952, -0.0000081925230771883816, 0.000014676009823223408, -0.000023576094345616630,
  0.000038431514114236274, -0.000075111293983039494, 0.00034879466069923058, 0.0012870439486375485,
], 16);
/** ∫₀¹ ℓⱼ. */
const ONCE = memory.data<f64>([
  0.015625, 0.092679077401489639, 0.15206531032339256, 0.18825877269455928, 0.1957860837262468, 0.17350739781725064,
  0.12482395066493248, 0.0572544073721286,
], 16);
/** f at τ₁ to τ₇ and at the end; what w is there by w, w' and f of the beginning alone. */
const VALUES: usize = memory.data(64, 16);
const BEGUN: usize = memory.data(64, 16);
const MOST: i32 = 40;

/** w'' of w: light where `pull` is 0, matter where it is (GM/ch)² [with lengths in GM/c²]. */
@inline function force(w: v128, pull: v128): v128 {
  return f64x2.add(f64x2.sub(pull, w), f64x2.mul(f64x2.splat(3.0), f64x2.mul(w, w)));
}

@inline function pairAt(table: usize, pair: usize): v128 { return v128.load(table + (pair << 4)); }
/** What the value at τⱼ gives a pair of nodes. */
@inline function share(j: usize, pair: usize): v128 {
  return f64x2.mul(v128.load64_splat(VALUES + ((j - 1) << 3)), pairAt(TWICE + (j << 6), pair));
}

/** w at a pair of nodes. */
@inline function reached(pair: usize, square: v128): v128 {
  const early = f64x2.add(f64x2.add(share(1, pair), share(2, pair)), f64x2.add(share(3, pair), share(4, pair)));
  const late = f64x2.add(f64x2.add(share(5, pair), share(6, pair)), share(7, pair));
  return f64x2.add(pairAt(BEGUN, pair), f64x2.mul(square, f64x2.add(early, late)));
}

/** Keeps the value at a pair of nodes and says by how much it has changed. */
@inline function keep(pair: usize, value: v128): v128 {
  const change = f64x2.abs(f64x2.sub(value, pairAt(VALUES, pair)));
  v128.store(VALUES + (pair << 4), value);
  return change;
}

/** All values anew; whether none has changed by more than `least`. */
function stays(square: v128, pull: v128, least: v128): bool {
  const first = force(reached(0, square), pull), second = force(reached(1, square), pull);
  const third = force(reached(2, square), pull), fourth = force(reached(3, square), pull);
  const change = f64x2.pmax(f64x2.pmax(keep(0, first), keep(1, second)), f64x2.pmax(keep(2, third), keep(3, fourth)));
  return i64x2.all_true(f64x2.le(change, least));
}

/** One step of length h from w, w' at `state`. */
export function radauStep(state: usize, h: f64, pull: f64): void {
  const w = load<f64>(state), v = load<f64>(state, 8), square = f64x2.splat(h * h), pulls = f64x2.splat(pull);
  const first = force(f64x2.splat(w), pulls);
  for (let pair: usize = 0; pair < 4; pair++) {
    const straight = f64x2.add(f64x2.splat(w), f64x2.mul(f64x2.splat(h * v), pairAt(NODES, pair)));
    v128.store(BEGUN + (pair << 4), f64x2.add(straight, f64x2.mul(square, f64x2.mul(first, pairAt(TWICE, pair)))));
    v128.store(VALUES + (pair << 4), first);
  }
  // A turn leaves h²f'/2 of a change, a hundredth at most: behind it w' is right to the last digit of w.
  const least = f64x2.splat(1e-14 * w / h);
  for (let n = 0; n < MOST && !stays(square, pulls, least); n++);
  let speed = load<f64>(ONCE) * f64x2.extract_lane(first, 0);
  for (let j: usize = 1; j < 8; j++) speed += load<f64>(ONCE + (j << 3)) * load<f64>(VALUES + ((j - 1) << 3));
  store<f64>(state, f64x2.extract_lane(reached(3, square), 1));
  store<f64>(state, v + h * speed, 8);
}
