//! What variables hold when the program starts, and those that nobody writes to for ever: read from their initialisers, at
//! one place, and at the same place of every element if that lies in an array.

use super::known::Known;
use super::objects;
use super::range::Range;
use crate::ir::{Const, GlobalId, Init, Linkage, Program};
use crate::pta::{ObjectId, PointsTo};

/// Larger variables are not looked through.
const LARGEST: u64 = 1 << 14;
/// That something is there, of which nothing else is known.
pub const ANYTHING: Known = Known { set: true, kept: true, ..Known::NOTHING };

/// What so many bytes hold in a variable from `start` on.
pub fn content(
    program: &Program,
    points_to: &PointsTo,
    (object, global): (ObjectId, GlobalId),
    start: i64,
    width: u64,
) -> Known {
    let data = &program.globals[global];
    // Another definition may be linked in the place of a weak one.
    let Some(init) = data.init.as_ref().filter(|_| data.linkage != Linkage::Weak) else {
        return ANYTHING;
    };
    let (Ok(from), true) = (u64::try_from(start), matches!(width, 1 | 2 | 4 | 8)) else {
        return ANYTHING;
    };
    let is_plain = data.size <= LARGEST && !points_to.has_neighbours(program, object, start);
    if !is_plain || from.saturating_add(width) > data.size {
        return ANYTHING;
    }
    let mut sum = Known::ALL;
    for at in from..=data.size - width {
        if points_to.fold(program, object, at as i64) == start {
            sum = sum.meet(value(program, init, at, width));
        }
    }
    Known { set: true, kept: true, live: false, bytes: (0, 0), ..sum }
}

fn value(program: &Program, init: &Init, at: u64, width: u64) -> Known {
    let word = u64::from(program.machine.pointer_bits / 8);
    let is_near = |&&(place, _): &&(u64, _)| place < at + width && at < place.saturating_add(word);
    let Some(&(place, constant)) = init.relocs.iter().find(is_near) else {
        let byte = |index: u64| init.bytes.get(index as usize).copied().unwrap_or(0);
        let bits =
            (at..at + width).rev().fold(0u128, |sum, index| sum << 8 | u128::from(byte(index)));
        let number = crate::smt::value::signed(bits, width as u32 * 8);
        let is_null = bits == 0;
        let offset = if is_null { Range::NONE } else { Range::ANY };
        let is_told = is_null || !program.machine.big_endian;
        let range = if is_told { Range::exactly(number) } else { Range::ANY };
        return Known { sane: is_null, start: is_null, offset, range, ..ANYTHING };
    };
    if place != at || width != word {
        return ANYTHING;
    }
    let (is_there, offset) = match *program.consts.get(constant) {
        Const::Global { global, offset } => {
            (objects::is_there(&program.globals[global]), Range::exactly(i128::from(offset)))
        }
        Const::Func(func) => (objects::has_address(&program.funcs[func]), Range::ANY),
        _ => (false, Range::ANY),
    };
    let text = objects::is_text(program, constant);
    Known { object: is_there, sane: is_there, text, offset, ..ANYTHING }
}
