// Peer of bench/kernels/orbits.ts: the advance of a periapsis by adaptive quadrature, and the orbit by Gauss–Radau of order 15, as
// assembly/blackhole/angles.ts and radau.ts have them, in C. Arguments: p, e (lengths in GM/c²), orbits a round.
#include <math.h>
#include "rounds.h"

/* As in radau.ts: nodes and end, double integrals of Lagrange's polynomials up to them, integrals over the step. */
static const double nodes[8] = {0.056262560536922147, 0.18024069173689236, 0.35262471711316964, 0.54715362633055538, 0.73421017721541053,
  0.88532094683909577, 0.97752061356128750, 1.0};
static const double twice[8][8] = {
  {0.00087353650169760872, 0.0028292347051319090, 0.0054894889207087437, 0.0085750732492800095,
   0.011443861864242944, 0.013859447520773144, 0.015254770539488652, 0.015625},
  {0.00084281087013890980, 0.011351209728611370, 0.027551960716640029, 0.045417275639677850,
   0.062907091328151491, 0.076769141824479518, 0.085428967131920237, 0.087464715198682235},
  {-0.00019337353802831657, 0.0023453013456999826, 0.025871749150114341, 0.055964541006026899,
   0.084115960074074919, 0.10731541047639489, 0.12117311393235516, 0.12465695360151909},
  {0.000091568618525100597, -0.00038859864365825318, 0.0036235004126035988, 0.036133899976258364,
   0.072052531850012614, 0.10015053714352104, 0.11772429326840345, 0.12187407622906781},
  {-0.000049211436419278180, 0.00015572234983542465, -0.00048074103031652313, 0.0039329608813314024,
   0.036129590740306423, 0.066405780829977668, 0.084159331986607467, 0.088661018030373127},
  {0.000026182406364877381, -0.000072502477767323579, 0.00016113046343799800, -0.00042217353782967076,
   0.0030975490934718412, 0.025859831083015792, 0.042340745979270191, 0.046116500517662313},
  {-0.000012036991259588212, 0.000031178994120808170, -0.000059669083439954922, 0.00011054428293927696,
   -0.00025272430103219904, 0.0016115518718575037, 0.011343257469873600, 0.014314692474057879},
  {0.0000032614280661010952, -0.0000081925230771883816, 0.000014676009823223408, -0.000023576094345616630,
   0.000038431514114236274, -0.000075111293983039494, 0.00034879466069923058, 0.0012870439486375485}};
static const double once[8] = {0.015625, 0.092679077401489639, 0.15206531032339256, 0.18825877269455928, 0.1957860837262468, 0.17350739781725064,
  0.12482395066493248, 0.0572544073721286};
static double p, e, f[8], begun[8];

static double excess(double t) {
  const double mu = (6 + 2 * e * cos(t)) / p, root = sqrt(1 - mu);
  return mu / (root * (1 + root));
}
static double panel(double a, double b) {
  static const double x[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static const double w[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  const double half = 0.5 * (b - a), m = 0.5 * (a + b);
  double sum = 0;
  for (int k = 0; k < 4; k++) sum += w[k] * (excess(m - x[k] * half) + excess(m + x[k] * half));
  return half * sum;
}
static double halved(double a, double b, double whole, int depth) {
  const double m = 0.5 * (a + b), low = panel(a, m), high = panel(m, b), sum = low + high;
  const double mu = fmax((6 + 2 * e * cos(a)) / p, (6 + 2 * e * cos(b)) / p);
  if (depth == 0 || !(fabs(sum - whole) > fmax(1e-13, 1e-15 / (1 - mu)) * fabs(sum))) return sum;
  return halved(a, m, low, depth - 1) + halved(m, b, high, depth - 1);
}
static double force(double w, double pull) { return pull - w + 3 * w * w; }
static void reach(double *w, double square) {
  for (int i = 0; i < 8; i++) {
    const double early = (f[0] * twice[1][i] + f[1] * twice[2][i]) + (f[2] * twice[3][i] + f[3] * twice[4][i]);
    const double late = (f[4] * twice[5][i] + f[5] * twice[6][i]) + f[6] * twice[7][i];
    w[i] = begun[i] + square * (early + late);
  }
}
static void step(double *s, double h, double pull) {
  const double first = force(s[0], pull), square = h * h;
  double w[8], speed = once[0] * first;
  for (int i = 0; i < 8; i++) {
    begun[i] = s[0] + h * s[1] * nodes[i] + square * (first * twice[0][i]);
    f[i] = first;
  }
  for (int n = 0; n < 40; n++) {
    double change = 0;
    reach(w, square);
    for (int i = 0; i < 8; i++) {
      const double fresh = force(w[i], pull), own = fabs(fresh - f[i]);
      change = change < own ? own : change;
      f[i] = fresh;
    }
    if (change * h <= 1e-14 * s[0]) break;
  }
  reach(w, square);
  for (int j = 1; j < 8; j++) speed += once[j] * f[j - 1];
  s[0] = w[7];
  s[1] += h * speed;
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  const int orbits = atoi(argv[3]);
  p = atof(argv[1]); e = atof(argv[2]);
  while (next_round()) {
    const double start = cpu_seconds();
    double last = 0;
    for (int k = 0; k < orbits; k++) {
      const double turned = 2 * halved(0, M_PI, panel(0, M_PI), 60), pull = (p - 3 - e * e) / (p * p);
      double s[2] = {(1 + e) / p, 0};
      for (int i = 0; i < 256; i++) step(s, (2 * M_PI + turned) / 256, pull);
      last = turned + 1e-300 * s[0];
    }
    answer(256.0 * orbits / (cpu_seconds() - start) / 1e6, last);
  }
  return 0;
}
