/**
 * When V8 optimises functions. A quarter of the CPU time of a start was its compiler, for functions that run a few times
 * (docs/decisions/0007, 0018). A CommonJS module, because `launch.cjs` reads it before any ES module.
 */

/** V8 of Node 20 counts the bytes of bytecode that a function has executed; later ones reject the flag, and count calls. */
const countsBytes = Number(process.versions.v8.split('.')[0]) < 12;

/** Flags with which a function is optimised after nine times as much of it has run. */
exports.LATE_OPTIMISATION = countsBytes ? ['--interrupt-budget=600000'] : [];

/** Flags that end this: V8's own defaults. */
exports.USUAL_OPTIMISATION = countsBytes ? ['--interrupt-budget=67584'] : [];
