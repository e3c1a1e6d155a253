/**
 * The entry of a thread where nothing was bundled: in tests, and where compile.mjs may not write. In a bundle,
 * thread-entries.ts has this name next to the code that starts it.
 */
import { run } from '#server/app/compile.mjs';

await run('server/app/work/thread-entries.ts');
