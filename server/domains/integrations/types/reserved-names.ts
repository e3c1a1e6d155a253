/**
 * Names that no adapter type can have: applications of this platform, also those that provide no tasks, and the models of
 * adapters. test/domains/integrations/types/names.test.ts compares them with the tasks of the platform.
 */
const RESERVED: ReadonlySet<string> = new Set(
  [
    'AGManager',
    'AppArtifacts',
    'AutomationGateway',
    'AutomationStudio',
    'ConfigurationManager',
    'Gateway',
    'GatewayManager',
    'JsonForms',
    'LocalAAA',
    'MOP',
    'NSO',
    'NSOManager',
    'OperationsManager',
    'Orchestrator',
    'OrchestratorManager',
    'Rest',
    'ServiceCog',
    'TemplateBuilder',
    'WorkFlowEngine',
    'local_aaa',
  ].map((name) => name.toLowerCase()),
);

/** Returns whether a name belongs to the platform itself, in any case. */
export const isReserved = (name: string): boolean => RESERVED.has(name.toLowerCase());
