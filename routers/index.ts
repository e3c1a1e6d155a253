import { router } from '#server/trpc.ts';
import { configurationManager } from './configuration_manager/index.ts';
import { health } from './health.ts';
import { session } from './session.ts';

/** Every procedure of the service; each area is the path prefix of its endpoints in camelCase. */
export const appRouter = router({ configurationManager, health, session });

/** For a typed client: `createTRPCClient<AppRouter>` (docs/client). */
export type AppRouter = typeof appRouter;
