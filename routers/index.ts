import { router } from '#server/trpc.ts';
import { applications } from './applications.ts';
import { audit } from './audit.ts';
import { authorization } from './authorization/index.ts';
import { automationgateway } from './automationgateway/index.ts';
import { configurationManager } from './configuration_manager/index.ts';
import { health } from './health.ts';
import { oauth } from './oauth.ts';
import { profiles } from './profiles.ts';
import { session } from './session.ts';

/** Every procedure of the service; each area is the path prefix of its endpoints in camelCase. */
export const appRouter = router({
  applications,
  audit,
  authorization,
  automationgateway,
  configurationManager,
  health,
  oauth,
  profiles,
  session,
});

/** For a typed client: `createTRPCClient<AppRouter>` (docs/client). */
export type AppRouter = typeof appRouter;
