// More ways than anybody can follow, none of which matters to what is asserted.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int kept;

int main(void) {
  int wanted = __VERIFIER_nondet_int();
  double weight = 1;
  if (__VERIFIER_nondet_int() > 0)
    weight = weight * 1.1 + kept;
  else
    kept += 0;
  if (__VERIFIER_nondet_int() > 1)
    weight = weight * 1.2 + kept;
  else
    kept += 1;
  if (__VERIFIER_nondet_int() > 2)
    weight = weight * 1.3 + kept;
  else
    kept += 2;
  if (__VERIFIER_nondet_int() > 3)
    weight = weight * 1.4 + kept;
  else
    kept += 3;
  if (__VERIFIER_nondet_int() > 4)
    weight = weight * 1.5 + kept;
  else
    kept += 4;
  if (__VERIFIER_nondet_int() > 5)
    weight = weight * 1.6 + kept;
  else
    kept += 5;
  if (__VERIFIER_nondet_int() > 6)
    weight = weight * 1.7 + kept;
  else
    kept += 6;
  if (__VERIFIER_nondet_int() > 7)
    weight = weight * 1.8 + kept;
  else
    kept += 7;
  if (__VERIFIER_nondet_int() > 8)
    weight = weight * 1.9 + kept;
  else
    kept += 8;
  if (__VERIFIER_nondet_int() > 9)
    weight = weight * 1.10 + kept;
  else
    kept += 9;
  if (__VERIFIER_nondet_int() > 10)
    weight = weight * 1.11 + kept;
  else
    kept += 10;
  if (__VERIFIER_nondet_int() > 11)
    weight = weight * 1.12 + kept;
  else
    kept += 11;
  if (__VERIFIER_nondet_int() > 12)
    weight = weight * 1.13 + kept;
  else
    kept += 12;
  if (__VERIFIER_nondet_int() > 13)
    weight = weight * 1.14 + kept;
  else
    kept += 13;
  if (__VERIFIER_nondet_int() > 14)
    weight = weight * 1.15 + kept;
  else
    kept += 14;
  if (__VERIFIER_nondet_int() > 15)
    weight = weight * 1.16 + kept;
  else
    kept += 15;
  if (__VERIFIER_nondet_int() > 16)
    weight = weight * 1.17 + kept;
  else
    kept += 16;
  if (__VERIFIER_nondet_int() > 17)
    weight = weight * 1.18 + kept;
  else
    kept += 17;
  if (__VERIFIER_nondet_int() > 18)
    weight = weight * 1.19 + kept;
  else
    kept += 18;
  if (__VERIFIER_nondet_int() > 19)
    weight = weight * 1.20 + kept;
  else
    kept += 19;
  if (__VERIFIER_nondet_int() > 20)
    weight = weight * 1.21 + kept;
  else
    kept += 20;
  if (__VERIFIER_nondet_int() > 21)
    weight = weight * 1.22 + kept;
  else
    kept += 21;
  if (__VERIFIER_nondet_int() > 22)
    weight = weight * 1.23 + kept;
  else
    kept += 22;
  if (__VERIFIER_nondet_int() > 23)
    weight = weight * 1.24 + kept;
  else
    kept += 23;
  if (wanted > 3) {
    int twice = wanted / 2 * 2;
    assert(twice > 2); // SAFE: assertion
  }
  return weight > 0;
}
