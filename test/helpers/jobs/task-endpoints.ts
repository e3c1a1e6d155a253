/**
 * The endpoints whose rights tasks need (decision 0057), written down a second time, so that a declaration is not loosened
 * unnoticed. A task that is not named here is tested with what it declares.
 */
export const ENDPOINTS: Readonly<Record<string, readonly string[]>> = {
  'AGManager.itential_cli': ['Automationgateway.sendCommand', 'ConfigurationManager.getDeviceGroup'],
  'AGManager.itential_netmiko_set_config': [
    'Automationgateway.sendCommand',
    'ConfigurationManager.pushDeviceConfiguration',
    'ConfigurationManager.getDeviceGroup',
  ],
  'GatewayManager.sendCommand': ['Automationgateway.sendCommand'],
  'GatewayManager.sendConfig': [
    'Automationgateway.sendCommand',
    'ConfigurationManager.pushDeviceConfiguration',
  ],
  'NSO.addDevice': ['OrchestratorManager.restAction'],
  'NSO.checkSyncDevices': ['OrchestratorManager.runAction'],
  'NSO.dryRunXML': ['OrchestratorManager.validateCommit'],
  'NSO.fetchSSHKey': ['OrchestratorManager.runAction'],
  'NSO.provisionXML': ['OrchestratorManager.restAction'],
  'NSO.runAction': ['OrchestratorManager.runAction'],
  'NSO.syncFrom': ['OrchestratorManager.runAction'],
  'NSO.syncFromDevices': ['OrchestratorManager.runAction'],
  'ServiceCog.getInstance': ['OrchestratorManager.restQuery'],
  'ServiceCog.saveInstances': ['OrchestratorManager.restAction'],
  'ServiceCog.testInstances': ['OrchestratorManager.validateCommit'],
  'AppArtifacts.componentDiscovery': ['AutomationStudio.listReferencesTo'],
  'AutomationGateway.addDeviceToDeviceGroup': ['ConfigurationManager.addGroupDevices'],
  'AutomationGateway.connectDevice': ['Automationgateway.testHost'],
  'AutomationGateway.createDeviceRaw': ['Automationgateway.createHost'],
  'AutomationGateway.sendRequest': ['OrchestratorManager.restAction'],
  'AutomationGateway.gnoiTraceroute': ['Automationgateway.executeTraceroute'],
  'AutomationGateway.selectDevices': ['Inventory.listSelection'],
  'AutomationGateway.sendCommand': ['Automationgateway.sendCommand'],
  'ConfigurationManager.backUpDevice': ['ConfigurationManager.backUpDevice'],
  'ConfigurationManager.getComplianceReportDetail': ['ConfigurationManager.getReport'],
  'ConfigurationManager.getComplianceReportsByBatch': ['ConfigurationManager.getBatchReports'],
  'ConfigurationManager.getDeviceBackupById': ['ConfigurationManager.getBackup'],
  'ConfigurationManager.getDevicesFiltered': ['ConfigurationManager.searchDevices'],
  'ConfigurationManager.getGoldenConfigTrees': ['ConfigurationManager.listTrees'],
  'ConfigurationManager.isAlive': ['ConfigurationManager.isDeviceAlive'],
  'ConfigurationManager.searchCompliancePlanInstances': ['ConfigurationManager.searchPlanInstances'],
  'ConfigurationManager.searchCompliancePlans': ['ConfigurationManager.searchPlans'],
  'ConfigurationManager.runComplianceForTree': [
    'ConfigurationManager.runCompliance',
    'ConfigurationManager.getBatchStatus',
    'ConfigurationManager.getBatchReports',
  ],
  'ConfigurationManager.runCompliance': [
    'ConfigurationManager.runCompliance',
    'ConfigurationManager.getBatchStatus',
    'ConfigurationManager.getBatchReports',
  ],
  'ConfigurationManager.runCompliancePlan': [
    'ConfigurationManager.runPlan',
    'ConfigurationManager.searchPlanInstances',
    'ConfigurationManager.getBatchStatus',
  ],
  'MOP.RunCommand': ['Mop.runCommand'],
  'MOP.RunCommandDevices': ['Mop.runCommandDevices'],
  'MOP.RunCommandTemplate': ['Mop.runCommandTemplate'],
  'MOP.RunCommandTemplateSingleCommand': ['Mop.runCommandTemplateSingleCommand'],
  'MOP.listATemplate': ['Mop.listATemplate'],
  'MOP.listAnAnalyticTemplate': ['Mop.listAnAnalyticTemplate'],
  'MOP.runAnalyticsTemplate': ['Mop.runAnalyticsTemplate'],
  'MOP.runAnalyticsTemplateDevices': ['Mop.runAnalyticsTemplateDevices'],
  'OrchestratorManager.restAction': ['OrchestratorManager.restAction'],
  'OrchestratorManager.restQuery': ['OrchestratorManager.restQuery'],
  'OrchestratorManager.validateCommit': ['OrchestratorManager.validateCommit'],
  'TemplateBuilder.applyTemplate': ['TemplateBuilder.applyTemplate'],
  'TemplateBuilder.parseTemplate': ['TemplateBuilder.parseTemplate'],
  'TemplateBuilder.renderJinjaTemplate': ['TemplateBuilder.renderJinja'],
  'WorkFlowEngine.restCall': ['OperationsManager.startJob'],
  'WorkFlowEngine.transformation': ['Transformations.runTransformation'],
};

/** Tasks that do more than work on the values of their job, and need no endpoint nevertheless. */
export const WITHOUT_ENDPOINT = [
  // Each endpoint that it reads asks for its own rights.
  'AppArtifacts.gatherInternalGET',
  'WorkFlowEngine.getTime',
];

/** Operations of adapters, which the catalogue cannot know. */
export const ADAPTERS = [
  { app: 'Gitlab', name: 'genericAdapterRequest' },
  { app: 'Gitlab', name: 'createIssue' },
];
export const ADAPTER_ENDPOINTS = ['OrchestratorManager.restAction'];
