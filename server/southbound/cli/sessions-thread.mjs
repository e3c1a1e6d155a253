/**
 * The thread's code where nothing was compiled: in tests, and where launch.mjs may not write. Compiled, a file of this
 * name lies beside that which starts it.
 */
import { register } from 'tsx/esm/api';

register();
await import('./sessions-thread.ts');
