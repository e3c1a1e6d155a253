import { router } from '#server/kernel/procedures.ts';
import { adapterModels, adapters } from './adapters.ts';
import { applications } from './applications.ts';
import { audit } from './audit.ts';
import { authorization } from './authorization/index.ts';
import { automationStudio } from './automation_studio/index.ts';
import { automationgateway } from './automationgateway/index.ts';
import { configurationManager } from './configuration_manager/index.ts';
import { events } from './events.ts';
import { git } from './git.ts';
import { health } from './health.ts';
import { integrationModels } from './integration_models.ts';
import { integrations } from './integrations.ts';
import { inventory } from './inventory/index.ts';
import { jsonForms } from './json_forms.ts';
import { lists } from './lists.ts';
import { mop } from './mop.ts';
import { notifications } from './notifications/index.ts';
import { oauth } from './oauth.ts';
import { operationsManager } from './operations_manager/index.ts';
import { orchestratorManager } from './orchestrator_manager.ts';
import { outgoing } from './outgoing.ts';
import { prebuilts } from './prebuilts.ts';
import { profiles } from './profiles.ts';
import { retention } from './retention.ts';
import { search } from './search.ts';
import { secrets } from './secrets.ts';
import { session } from './session.ts';
import { signIn } from './sign_in.ts';
import { tags } from './tags.ts';
import { templateBuilder } from './template_builder.ts';
import { transformations } from './transformations.ts';
import { workflowBuilder } from './workflow_builder/index.ts';
import { workflowEngine } from './workflow_engine.ts';

/** Every procedure of the service; each area is the path prefix of its endpoints in camelCase. */
export const appRouter = router({
  adapterModels,
  adapters,
  applications,
  audit,
  authorization,
  automationStudio,
  automationgateway,
  configurationManager,
  events,
  git,
  health,
  integrationModels,
  integrations,
  inventory,
  jsonForms,
  lists,
  mop,
  notifications,
  oauth,
  operationsManager,
  orchestratorManager,
  outgoing,
  prebuilts,
  profiles,
  retention,
  search,
  secrets,
  session,
  signIn,
  tags,
  templateBuilder,
  transformations,
  workflowBuilder,
  workflowEngine,
});

/** For a typed client: `createTRPCClient<AppRouter>` (docs/client). */
export type AppRouter = typeof appRouter;
