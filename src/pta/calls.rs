//! What a call does once its callee is known: arguments flow to parameters, the result flows back.
//!
//! A callee is dropped only where C leaves the call without meaning and the machine gives the callee
//! garbage: fewer arguments than a function with a body has parameters, or a floating-point value
//! where it expects another. Dropped callees are listed. More arguments, other pointer types and
//! other integers are common in real code and stay.

use super::constraints::{Actual, Call, CallId, Nodes, Signature, Sink};
use super::externals;
use crate::ir::{FuncId, Program, Type, TypeId, ValueId};
use crate::library::summaries;

fn is_float(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Float(_))
}

/// Whether `func` can make sense of the call's arguments.
fn accepts(program: &Program, func: FuncId, call: &Call) -> bool {
    let function = &program.funcs[func];
    let fits = |(arg, param): (&Actual, ValueId)| {
        arg.ty.is_none_or(|ty| is_float(program, ty) == is_float(program, program.values[param].ty))
    };
    let enough = function.params.len() <= call.args.len()
        || (function.blocks.is_empty() && summaries::effects(&function.name).is_none());
    enough && call.args.iter().zip(function.params.iter()).all(fits)
}

/// `from ⊆ to`, leaf by leaf; all to all if the two types have different leaves.
pub fn transfer<'p>(sink: &mut impl Sink<'p>, from: Option<Nodes>, to: Option<Nodes>) {
    let (Some(from), Some(to)) = (from, to) else {
        return;
    };
    if from.len == to.len {
        from.iter().zip(to.iter()).for_each(|(a, b)| sink.copy(a, b));
    } else {
        from.iter().for_each(|a| to.iter().for_each(|b| sink.copy(a, b)));
    }
}

/// Connects a call that was resolved while solving.
pub fn resolve<'p>(sink: &mut impl Sink<'p>, id: CallId, func: FuncId) {
    if !sink.world().connected.insert((id, func)) {
        return;
    }
    let program = sink.objects().program;
    let call = sink.world().calls[id].clone();
    if !accepts(program, func, &call) {
        sink.world().filtered.insert((call.inst, func));
        return;
    }
    if let Some(signature) = sink.world().own_copies.get(&(id, func)).cloned() {
        sink.world().edges.insert((call.inst, func));
        return bind(sink, &call, &signature);
    }
    if call.kept {
        sink.world().called_by_unknown.insert(func);
    }
    connect(sink, &call, func);
}

/// Connects a call to the callee's shared copy, or to what is known of a function without a body.
pub fn connect<'p>(sink: &mut impl Sink<'p>, call: &Call, func: FuncId) {
    sink.world().edges.insert((call.inst, func));
    match sink.world().signatures.get(&func).cloned() {
        Some(signature) if sink.world().told.contains(&func) => {
            bind_arguments(sink, call, &signature);
            externals::call(sink, call, func);
        }
        Some(signature) => bind(sink, call, &signature),
        None => externals::call(sink, call, func),
    }
}

/// Arguments to parameters, the result to the call.
pub fn bind<'p>(sink: &mut impl Sink<'p>, call: &Call, callee: &Signature) {
    bind_arguments(sink, call, callee);
    transfer(sink, callee.result, call.result);
}

fn bind_arguments<'p>(sink: &mut impl Sink<'p>, call: &Call, callee: &Signature) {
    for (arg, &param) in call.args.iter().zip(&callee.params) {
        transfer(sink, arg.nodes, param);
    }
    if let Some(object) = callee.varargs.expand() {
        let location = sink.objects().any(object);
        for arg in call.args.iter().skip(callee.params.len()) {
            for node in arg.nodes.iter().flat_map(|nodes| nodes.iter()) {
                sink.fill(node, location);
            }
        }
    }
}

/// A call of code we know nothing of: it may reach, mix, store and call whatever it was given or could
/// already reach, and return any of it.
pub fn unknown<'p>(sink: &mut impl Sink<'p>, call: &Call) {
    sink.world().unknown_calls.insert(call.inst);
    sink.unknown_runs();
    let escaped = sink.world().escaped;
    for node in call.args.iter().flat_map(|arg| arg.nodes).flat_map(Nodes::iter) {
        sink.copy(node, escaped);
    }
    for node in call.result.iter().flat_map(|nodes| nodes.iter()) {
        sink.copy(escaped, node);
    }
}
