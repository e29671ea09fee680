//! Floats as their bits: the formats, and the exact result of every operation on concrete values.
//! `f32` and `f64` are computed by the machine, the rest by LLVM's APFloat.
//!
//! Invariant: a result that is not a number is the format's [`quiet NaN`](Format::nan) with sign and
//! payload zero, here as in the formulas given to the solver. What a machine makes of sign and
//! payload is the caller's to add (`Pool::float_any_nan`).

use super::value::{mask, sign_bit, signed};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Format {
    F16,
    BF16,
    F32,
    F64,
    /// x87's 80 bits, with its explicit leading bit.
    X87,
    F128,
}

/// How a result is brought to an integral value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Rounding {
    NearestEven,
    NearestAway,
    Up,
    Down,
    Zero,
}

impl Rounding {
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Up,
        Rounding::Down,
        Rounding::Zero,
    ];

    fn apfloat(self) -> Round {
        match self {
            Rounding::NearestEven => Round::NearestTiesToEven,
            Rounding::NearestAway => Round::NearestTiesToAway,
            Rounding::Up => Round::TowardPositive,
            Rounding::Down => Round::TowardNegative,
            Rounding::Zero => Round::TowardZero,
        }
    }
}

impl Format {
    pub const ALL: [Format; 6] =
        [Format::F16, Format::BF16, Format::F32, Format::F64, Format::X87, Format::F128];

    /// Bits of a value.
    pub fn width(self) -> u32 {
        match self {
            Format::F16 | Format::BF16 => 16,
            Format::F32 => 32,
            Format::F64 => 64,
            Format::X87 => 80,
            Format::F128 => 128,
        }
    }

    pub fn exponent_bits(self) -> u32 {
        match self {
            Format::F16 => 5,
            Format::BF16 | Format::F32 => 8,
            Format::F64 => 11,
            Format::X87 | Format::F128 => 15,
        }
    }

    /// Bits of the fraction field, without a leading one.
    pub fn fraction_bits(self) -> u32 {
        match self {
            Format::X87 => 63,
            _ => self.width() - 1 - self.exponent_bits(),
        }
    }

    /// Where the exponent field begins.
    pub fn exponent_at(self) -> u32 {
        self.width() - 1 - self.exponent_bits()
    }

    /// The exponent of the largest binade.
    pub fn max_exponent(self) -> u32 {
        (1 << (self.exponent_bits() - 1)) - 1
    }

    /// Positive infinity.
    pub fn infinity(self) -> u128 {
        let exponent = mask(self.exponent_bits()) << self.exponent_at();
        exponent | if self == Format::X87 { 1 << 63 } else { 0 }
    }

    /// The one NaN that operations give.
    pub fn nan(self) -> u128 {
        self.infinity() | 1 << (self.fraction_bits() - 1)
    }

    /// 2 to the `e`, or infinity if that is beyond the format.
    pub fn power_of_two(self, e: u32) -> u128 {
        if e > self.max_exponent() {
            return self.infinity();
        }
        let exponent = u128::from(e + self.max_exponent()) << self.exponent_at();
        exponent | if self == Format::X87 { 1 << 63 } else { 0 }
    }

    /// Whether the bits are not a number; x87's invalid encodings are not.
    pub fn is_nan(self, bits: u128) -> bool {
        if self == Format::X87 {
            let leading = bits >> 63 & 1 == 1;
            let exponent = bits >> 64 & 0x7fff;
            let fraction = bits & mask(63);
            return (exponent == 0x7fff && fraction != 0) || (exponent != 0 && !leading);
        }
        bits & mask(self.width() - 1) > self.infinity()
    }
}

/// Runs the body with the APFloat type of a format.
macro_rules! with_format {
    ($format:expr, $F:ident => $body:expr) => {
        match $format {
            Format::F16 => { type $F = Half; $body }
            Format::BF16 => { type $F = BFloat; $body }
            Format::F32 => { type $F = Single; $body }
            Format::F64 => { type $F = Double; $body }
            Format::X87 => { type $F = X87DoubleExtended; $body }
            Format::F128 => { type $F = Quad; $body }
        }
    };
}

/// The bits with every NaN replaced by the one.
fn canonical(format: Format, bits: u128) -> u128 {
    if format.is_nan(bits) { format.nan() } else { bits }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Add,
    Mul,
    Div,
    /// C's `fmod`.
    Rem,
}

/// Rounded to nearest, ties to even.
pub fn binary(op: Binary, format: Format, a: u128, b: u128) -> u128 {
    if format.is_nan(a) || format.is_nan(b) {
        return format.nan();
    }
    let result = match format {
        Format::F32 => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let r = match op {
                Binary::Add => a + b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                Binary::Rem => a % b,
            };
            u128::from(r.to_bits())
        }
        Format::F64 => {
            let (a, b) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
            let r = match op {
                Binary::Add => a + b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                Binary::Rem => a % b,
            };
            u128::from(r.to_bits())
        }
        Format::F16 | Format::BF16 | Format::X87 | Format::F128 => {
            with_format!(format, F => {
                let (a, b) = (F::from_bits(a), F::from_bits(b));
                let r = match op {
                    Binary::Add => a + b,
                    Binary::Mul => a * b,
                    Binary::Div => a / b,
                    Binary::Rem => a.c_fmod(b),
                };
                r.value.to_bits()
            })
        }
    };
    canonical(format, result)
}

/// a·b + c, rounded once.
pub fn fma(format: Format, a: u128, b: u128, c: u128) -> u128 {
    if format.is_nan(a) || format.is_nan(b) || format.is_nan(c) {
        return format.nan();
    }
    let bits = with_format!(format, F => {
        F::from_bits(a).mul_add(F::from_bits(b), F::from_bits(c)).value.to_bits()
    });
    canonical(format, bits)
}

/// `None` where we have no exact square root.
pub fn sqrt(format: Format, a: u128) -> Option<u128> {
    let bits = match format {
        Format::F32 => u128::from(f32::from_bits(a as u32).sqrt().to_bits()),
        Format::F64 => u128::from(f64::from_bits(a as u64).sqrt().to_bits()),
        Format::F16 | Format::BF16 | Format::X87 | Format::F128 => return None,
    };
    Some(canonical(format, bits))
}

pub fn round(format: Format, rounding: Rounding, a: u128) -> u128 {
    if format.is_nan(a) {
        return format.nan();
    }
    with_format!(format, F => {
        F::from_bits(a).round_to_integral(rounding.apfloat()).value.to_bits()
    })
}

/// `None` if either is not a number.
pub fn compare(format: Format, a: u128, b: u128) -> Option<Ordering> {
    if format.is_nan(a) || format.is_nan(b) {
        return None;
    }
    with_format!(format, F => F::from_bits(a).partial_cmp(&F::from_bits(b)))
}

pub fn convert(from: Format, to: Format, a: u128) -> u128 {
    if from.is_nan(a) {
        return to.nan();
    }
    let mut loses = false;
    with_format!(from, A => with_format!(to, B => {
        let r: B = FloatConvert::<B>::convert(A::from_bits(a), &mut loses).value;
        canonical(to, r.to_bits())
    }))
}

pub fn from_integer(format: Format, value: u128, width: u32, is_signed: bool) -> u128 {
    with_format!(format, F => {
        let r = if is_signed {
            F::from_i128(signed(value, width))
        } else {
            F::from_u128(value)
        };
        r.value.to_bits()
    })
}

/// Towards zero. What does not fit, and NaN, give the highest bit alone.
pub fn to_integer(format: Format, a: u128, width: u32, is_signed: bool) -> u128 {
    if format.is_nan(a) {
        return sign_bit(width);
    }
    let whole = round(format, Rounding::Zero, a);
    let limit = format.power_of_two(if is_signed { width - 1 } else { width });
    let lowest = if is_signed { limit | sign_bit(format.width()) } else { 0 };
    let in_range = compare(format, whole, limit) == Some(Ordering::Less)
        && matches!(compare(format, lowest, whole), Some(Ordering::Less | Ordering::Equal))
        && whole & mask(format.width() - 1) != format.infinity();
    if !in_range {
        return sign_bit(width);
    }
    let mut exact = false;
    with_format!(format, F => {
        let f = F::from_bits(whole);
        if is_signed {
            f.to_i128_r(128, Round::TowardZero, &mut exact).value as u128 & mask(width)
        } else {
            f.to_u128_r(128, Round::TowardZero, &mut exact).value & mask(width)
        }
    })
}
