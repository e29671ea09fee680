//! Calls of functions without a body: their summaries become constraints; a function without a summary
//! is unknown code, and listed.

use super::calls;
use super::constraints::{Actual, Call, Extent, Node, Nodes, Role, Sink};
use super::objects::{LocationId, ObjectKind, Step};
use super::shape::Shape;
use crate::ir::{FuncId, Program};
use crate::library::foreign;
use crate::library::summaries::{self, Effect, Passed};

/// Calls `func`, which has no body.
pub fn call<'p>(sink: &mut impl Sink<'p>, call: &Call, func: FuncId) {
    let program = sink.objects().program;
    let function = &program.funcs[func];
    match summaries::effects(&function.name) {
        Some(effects) => {
            for &effect in effects {
                apply(sink, call, func, effect);
            }
        }
        None => match foreign(program, &function.name, call) {
            Some(effects) => {
                // Where pointers go is known, what else happens is not.
                sink.world().unknown_calls.insert(call.inst);
                for &effect in effects {
                    apply(sink, call, func, effect);
                }
            }
            None => {
                sink.world().externals.insert(func);
                calls::unknown(sink, call);
            }
        },
    }
}

/// What is known of a function that is not C's: by its name, or by the number of a system call.
fn foreign(program: &Program, name: &str, call: &Call) -> Option<&'static [Effect]> {
    let bits = program.machine.pointer_bits;
    let numbered = program.machine.triple.starts_with("x86_64") && name == "syscall";
    let moves_none = || number(call, 0).is_some_and(foreign::is_harmless_call);
    foreign::effects(name, bits).or_else(|| (numbered && moves_none()).then_some(&[]))
}

/// The argument's pointers.
fn arg(call: &Call, index: u8) -> Option<Node> {
    call.args.get(usize::from(index)).and_then(|arg| arg.nodes).and_then(|nodes| nodes.get(0))
}

fn result(call: &Call) -> Option<Node> {
    call.result.and_then(|nodes| nodes.get(0))
}

fn pointer_bytes<'p>(sink: &mut impl Sink<'p>) -> u32 {
    sink.objects().program.machine.pointer_bits / 8
}

/// The product of the sizes the arguments give.
fn extent(call: &Call, size: &[u8]) -> Extent {
    let of = |&index: &u8| call.extents.get(usize::from(index)).copied().unwrap_or(Extent::Unknown);
    size.iter().map(of).reduce(Extent::times).unwrap_or(Extent::Unknown)
}

/// A new object of this call.
fn allocate<'p>(sink: &mut impl Sink<'p>, call: &Call, func: FuncId, extent: Extent) -> LocationId {
    let grain = u64::from(pointer_bytes(sink));
    let (size, tail) = match extent {
        Extent::Exactly(size) => (Some(size), None),
        // Only an array whose elements can hold pointers at the same places is worth folding.
        Extent::Array { header, stride } if stride % grain == 0 && stride < 1 << 32 => {
            (None, Some((header as i64, stride as i64)))
        }
        Extent::Array { .. } | Extent::Unknown => (None, None),
    };
    let kind = ObjectKind::Heap { site: call.inst, by: func, context: call.context };
    let object = sink.objects().intern(kind, size, Shape::Plain { tail }, false);
    sink.objects().at(object, 0)
}

fn storage<'p>(sink: &mut impl Sink<'p>, func: FuncId) -> LocationId {
    let object = sink.objects().intern(ObjectKind::Static(func), None, Shape::Flat, false);
    let location = sink.objects().any(object);
    // What it holds is the library's own business: other storage of its own.
    let inside = sink.fresh(Role::Inner);
    sink.address(inside, location);
    sink.fill(inside, location);
    location
}

/// A node that holds just `location`.
fn pointing<'p>(sink: &mut impl Sink<'p>, location: LocationId) -> Node {
    let node = sink.fresh(Role::Inner);
    sink.address(node, location);
    node
}

fn number(call: &Call, index: u8) -> Option<u64> {
    call.args.get(usize::from(index)).and_then(|arg| arg.constant)
}

/// From an array's start to some element, whose size the argument gives.
fn to_element(call: &Call, size: u8) -> Step {
    match number(call, size) {
        Some(size) => Step { terms: vec![(size, None)], ..Step::default() },
        None => Step::anywhere(),
    }
}

fn inside<'p>(sink: &mut impl Sink<'p>, node: Node) -> Node {
    sink.stepped(node, Step::anywhere())
}

fn apply<'p>(sink: &mut impl Sink<'p>, call: &Call, func: FuncId, effect: Effect) {
    let width = pointer_bytes(sink);
    match effect {
        Effect::Returns(from) => {
            if let (Some(from), Some(to)) = (arg(call, from), result(call)) {
                sink.copy(from, to);
            }
        }
        Effect::ReturnsInside(from) => {
            if let (Some(from), Some(to)) = (arg(call, from), result(call)) {
                sink.step(from, to, Step::anywhere());
            }
        }
        Effect::ReturnsElement { of, size } => {
            if let (Some(of), Some(to)) = (arg(call, of), result(call)) {
                sink.step(of, to, to_element(call, size));
            }
        }
        Effect::Allocates(size) => {
            let location = allocate(sink, call, func, extent(call, size));
            if let Some(to) = result(call) {
                sink.address(to, location);
            }
        }
        Effect::Reallocates { old, size } => {
            let location = allocate(sink, call, func, extent(call, size));
            let new = pointing(sink, location);
            if let Some(old) = arg(call, old) {
                sink.copy_memory(new, old, None);
                result(call).into_iter().for_each(|to| sink.copy(old, to));
            }
            result(call).into_iter().for_each(|to| sink.copy(new, to));
        }
        Effect::AllocatesInto(to) => {
            // A call has one result object; one that is stored beside it is told apart by nothing
            // else, so the two share it, which is only less precise.
            let location = allocate(sink, call, func, Extent::Unknown);
            let new = pointing(sink, location);
            arg(call, to).into_iter().for_each(|to| sink.store(new, to, width));
        }
        Effect::ReturnsStorage => {
            let location = storage(sink, func);
            result(call).into_iter().for_each(|to| sink.address(to, location));
        }
        Effect::Copies { to, from, len } => {
            let len = len.and_then(|len| number(call, len));
            if let (Some(to), Some(from)) = (arg(call, to), arg(call, from)) {
                sink.copy_memory(to, from, len);
            }
        }
        Effect::Stores { to, value } => {
            if let (Some(to), Some(value)) = (arg(call, to), arg(call, value)) {
                sink.store(value, to, width);
            }
        }
        Effect::StoresInside { to, of } => {
            if let (Some(to), Some(of)) = (arg(call, to), arg(call, of)) {
                let value = inside(sink, of);
                sink.store(value, to, width);
            }
        }
        Effect::ReturnsContent(of) => {
            if let (Some(of), Some(to)) = (arg(call, of), result(call)) {
                let held = sink.fresh(Role::Inner);
                sink.load(of, held, width);
                sink.step(held, to, Step::anywhere());
            }
        }
        Effect::Permutes { array, size } => {
            if let Some(array) = arg(call, array) {
                let element = sink.stepped(array, to_element(call, size));
                sink.copy_memory(element, element, number(call, size));
            }
        }
        Effect::Calls { func, args } => {
            if let Some(target) = arg(call, func) {
                call_back(sink, call, target, args, None);
            }
        }
        Effect::CallsFor { func, args, result } => {
            if let Some(target) = arg(call, func) {
                let result = sink.slot(result);
                call_back(sink, call, target, args, Some(Nodes { first: result, len: 1 }));
            }
        }
        Effect::CallsContent { of, args } => {
            if let Some(of) = arg(call, of) {
                let place = inside(sink, of);
                let target = sink.fresh(Role::Inner);
                sink.load(place, target, width);
                call_back(sink, call, target, args, None);
            }
        }
        Effect::Leaves { value, slot } => {
            let slot = sink.slot(slot);
            arg(call, value).into_iter().for_each(|value| sink.copy(value, slot));
        }
        Effect::LeavesContent { of, slot } => {
            if let Some(of) = arg(call, of) {
                let slot = sink.slot(slot);
                let place = inside(sink, of);
                sink.load(place, slot, width);
            }
        }
        Effect::ReturnsLeft(slot) => {
            let slot = sink.slot(slot);
            result(call).into_iter().for_each(|to| sink.step(slot, to, Step::anywhere()));
        }
        Effect::StoresLeft { to, slot } => {
            if let Some(to) = arg(call, to) {
                let slot = sink.slot(slot);
                let place = inside(sink, to);
                sink.store(slot, place, width);
            }
        }
        Effect::Escapes(index) => {
            let escaped = sink.world().escaped;
            arg(call, index).into_iter().for_each(|node| sink.copy(node, escaped));
        }
        Effect::EscapesContent(of) => {
            if let Some(of) = arg(call, of) {
                let escaped = sink.world().escaped;
                let place = inside(sink, of);
                sink.load(place, escaped, width);
            }
        }
        Effect::Shows { slot, to } => {
            if let Some(function) = arg(call, to) {
                let slot = sink.slot(slot);
                let escaped = sink.world().escaped;
                sink.copy(slot, escaped);
                sink.copy(function, escaped);
            }
        }
        Effect::ReturnsOutside => {
            let outside = sink.world().escaped;
            result(call).into_iter().for_each(|to| sink.copy(outside, to));
        }
        Effect::StoresOutside { to, at } => {
            if let Some(to) = arg(call, to) {
                let outside = sink.world().escaped;
                let place = sink.stepped(to, Step::by(at));
                sink.store(outside, place, width);
            }
        }
        Effect::Advances { of, at } => {
            if let Some(of) = arg(call, of) {
                let place = sink.stepped(of, Step::by(at));
                let held = sink.fresh(Role::Inner);
                sink.load(place, held, width);
                let moved = inside(sink, held);
                sink.store(moved, place, width);
            }
        }
        Effect::CallsAt { of, at, args, result } => {
            if let Some(target) = held_at(sink, call, of, at) {
                let result = sink.slot(result);
                call_back(sink, call, target, args, Some(Nodes { first: result, len: 1 }));
            }
        }
        Effect::LeavesInside { of, slot } => {
            if let Some(of) = arg(call, of) {
                let slot = sink.slot(slot);
                sink.step(of, slot, Step::anywhere());
            }
        }
        Effect::ReturnsKept(slot) => {
            let slot = sink.slot(slot);
            result(call).into_iter().for_each(|to| sink.copy(slot, to));
        }
        Effect::StoresLeftAt { to, at, slot } => {
            if let Some(to) = arg(call, to) {
                let slot = sink.slot(slot);
                let place = sink.stepped(to, Step::by(at));
                sink.store(slot, place, width);
            }
        }
        Effect::StoresLeftWithin { to, bytes, slot } => {
            if let Some(to) = arg(call, to) {
                let slot = sink.slot(slot);
                let (stride, count) = (u64::from(width), bytes / u64::from(width));
                let within = Step { terms: vec![(stride, Some(count))], ..Step::default() };
                let place = sink.stepped(to, within);
                sink.store(slot, place, width);
            }
        }
    }
}

/// What lies so many bytes behind where the argument points.
fn held_at<'p>(sink: &mut impl Sink<'p>, call: &Call, of: u8, at: i64) -> Option<Node> {
    let place = sink.stepped(arg(call, of)?, Step::by(at));
    let held = sink.fresh(Role::Inner);
    let width = pointer_bytes(sink);
    sink.load(place, held, width);
    Some(held)
}

/// The library calls `target`.
fn call_back<'p>(
    sink: &mut impl Sink<'p>,
    call: &Call,
    target: Node,
    args: &[Passed],
    result: Option<Nodes>,
) {
    let args = args
        .iter()
        .map(|passed| {
            let node = match *passed {
                Passed::Arg(index) => arg(call, index),
                Passed::Element { of, size } => {
                    arg(call, of).map(|node| sink.stepped(node, to_element(call, size)))
                }
                Passed::Unknown | Passed::Outside => Some(sink.world().escaped),
                Passed::Left(slot) => Some(sink.slot(slot)),
                Passed::At { of, at } => held_at(sink, call, of, at),
                Passed::Number => None,
            };
            Actual { nodes: node.map(|first| Nodes { first, len: 1 }), ty: None, constant: None }
        })
        .collect();
    let callback = Call {
        inst: call.inst,
        context: call.context,
        args,
        result,
        extents: Vec::new(),
        kept: sink.world().unknown_calls.contains(&call.inst),
    };
    let id = sink.world().calls.push(callback);
    sink.call(target, id);
}
