/**
 * A thread's code where nothing was compiled: in tests, and where compile.mjs may not write. Compiled, thread-entries.ts lies
 * under this name beside that which starts it.
 */
import { run } from '#server/app/compile.mjs';

await run('server/app/work/thread-entries.ts');
