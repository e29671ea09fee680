// Floats of three formats: arithmetic, comparisons with NaN in mind, and conversions.
float f;
double d = 0.1;
long double ld = 1.0L;

double mix(int i) {
    f = f * 2 + i;
    d = -d / f;
    ld += d;
    return (double)ld + (f < d) + (f != f) + !(d >= 1.0);
}

int cut(double x) { return (int)x; }
unsigned char wrap(float x) { return (unsigned char)x; }
double fabs(double);
double sqrt(double);
double root(double x) { return sqrt(fabs(x)); }
_Complex double conj2(_Complex double z) { return z * z; }
