//! Strongly connected components without recursion (Tarjan 1972).

const UNSEEN: u32 = u32::MAX;
const DONE: u32 = u32::MAX - 1;

/// Calls `emit` with each component of the graph of `nodes` nodes; all that a component leads to come
/// before it. `next(n, i)` is the `i`-th successor of `n`.
pub fn components(
    nodes: usize,
    next: impl Fn(u32, usize) -> Option<u32>,
    mut emit: impl FnMut(&[u32]),
) {
    let mut number = vec![UNSEEN; nodes];
    let mut low = vec![0u32; nodes];
    let mut stack: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut count = 0;
    for root in 0..nodes as u32 {
        if number[root as usize] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some((node, at)) = path.pop() {
            let n = node as usize;
            if at == 0 {
                number[n] = count;
                low[n] = count;
                count += 1;
                stack.push(node);
            }
            let mut at = at;
            let mut down = None;
            while let Some(to) = next(node, at as usize) {
                at += 1;
                match number[to as usize] {
                    UNSEEN => {
                        down = Some(to);
                        break;
                    }
                    DONE => {}
                    seen => low[n] = low[n].min(seen),
                }
            }
            if let Some(to) = down {
                path.push((node, at));
                path.push((to, 0));
                continue;
            }
            if let Some(&(parent, _)) = path.last() {
                let p = parent as usize;
                low[p] = low[p].min(low[n]);
            }
            if low[n] == number[n] {
                let from = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                stack[from..].iter().for_each(|&member| number[member as usize] = DONE);
                emit(&stack[from..]);
                stack.truncate(from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_cycles_in_order() {
        let graph: [&[u32]; 6] = [&[1], &[2, 4], &[0, 3], &[3], &[5], &[4]];
        let mut found = Vec::new();
        components(
            6,
            |n, i| graph[n as usize].get(i).copied(),
            |c| {
                let mut c = c.to_vec();
                c.sort_unstable();
                found.push(c);
            },
        );
        assert_eq!(found, [vec![3], vec![4, 5], vec![0, 1, 2]]);
    }
}
