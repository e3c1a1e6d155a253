import { STUDIO_READ } from '#server/kernel/roles.ts';
import { OWN_DATA, operation } from '../operations.ts';
import { ANY, LIST, needs, OBJECT, outgoingSchema, TEXT, taskOf } from '../task-type.ts';

/** Tasks on this platform itself that imported workflows name. */
export const ARTIFACTS = [
  taskOf('AppArtifacts', 'componentDiscovery', {
    summary: 'Find what components use',
    description:
      'Finds the components that the named ones use, directly or through others, with the applications of their tasks',
    incoming: {
      entryPoint: needs(OBJECT, 'Names by kind: workflow, transformation, operationsAutomation, …', {
        workflow: ['Check a port'],
      }),
    },
    outgoing: {
      discovery: outgoingSchema(
        OBJECT,
        'The components by kind (`componentMap`), `dependencies`, and `invalidComponents` that do not exist',
      ),
    },
    effect: 'read',
    requires: [operation('AutomationStudio.listReferencesTo', STUDIO_READ)],
  }),
  taskOf('AppArtifacts', 'gatherInternalGET', {
    summary: 'Read from this platform',
    description:
      'Reads from endpoints of this platform by GET, with the rights that the account of the job has at each of them',
    incoming: {
      internalURL: needs([TEXT, LIST], 'Path and query, or a list of them', ['/prebuilts?limit=10']),
    },
    outgoing: { responseBody: outgoingSchema(ANY, 'The answer; a list of answers for several URLs') },
    effect: 'read',
    // Each endpoint asks for its own rights.
    requires: OWN_DATA,
  }),
];
