/**
 * The thread's code where nothing was compiled: where launch.mjs may not write. Compiled, a file of this name lies
 * beside that which starts it.
 */
import { register } from 'tsx/esm/api';

register();
await import('./work-thread.ts');
