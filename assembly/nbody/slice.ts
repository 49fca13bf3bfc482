// What is left of the budget of one call into a kernel, in work units. Only a call's length depends on it, never
// a bit of the state.

let left: i64 = 0;

export function openSlice(budget: i32): void { left = budget; }
@inline export function take(units: i64): void { left -= units; }
@inline export function sliceSpent(): bool { return left <= 0; }
@inline export function unspent(): i64 { return left; }
