/**
 * A thread's code where nothing was compiled: in tests, and where compile.mjs may not write. Compiled, threads.ts lies
 * under this name beside that which starts it.
 */
import { register } from 'tsx/esm/api';

register();
await import('./threads.ts');
