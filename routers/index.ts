import { router } from '#server/trpc.ts';
import { applications } from './applications.ts';
import { health } from './health.ts';
import { profiles } from './profiles.ts';
import { session } from './session.ts';

/** Every procedure of the service; each area is the path prefix of its endpoints in camelCase. */
export const appRouter = router({ applications, health, profiles, session });

/** For a typed client: `createTRPCClient<AppRouter>` (docs/client). */
export type AppRouter = typeof appRouter;
