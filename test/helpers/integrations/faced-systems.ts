/*
 * Documents of two systems whose adapters public exports name: the paths and parameters that their published interfaces have
 * for the tasks of those exports.
 */

const path = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const query = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });
const body = { content: { 'application/json': { schema: { type: 'object' } } } };

export const FACED = {
  Gitlab: {
    base: '/api',
    paths: {
      '/v4/groups/{id}/projects': {
        get: {
          parameters: [
            path('id'),
            ...['archived', 'visibility', 'search', 'order_by', 'sort', 'simple', 'page', 'per_page'].map(
              query,
            ),
          ],
        },
      },
      '/v4/projects': { post: { requestBody: body }, get: {} },
      '/v4/projects/{id}': { get: { parameters: [path('id')] }, delete: { parameters: [path('id')] } },
      '/v4/projects/{id}/merge_requests': { post: { parameters: [path('id')], requestBody: body } },
      '/v4/projects/{id}/merge_requests/{merge_request_id}/versions': {
        get: { parameters: [path('id'), path('merge_request_id')] },
      },
      '/v4/projects/{id}/repository/branches': { post: { parameters: [path('id')], requestBody: body } },
      '/v4/projects/{id}/repository/branches/{branch}': { get: { parameters: [path('id'), path('branch')] } },
      '/v4/projects/{id}/repository/commits': { post: { parameters: [path('id')], requestBody: body } },
      '/v4/projects/{id}/repository/commits/{sha}/diff': { get: { parameters: [path('id'), path('sha')] } },
      '/v4/projects/{id}/repository/files': {
        get: { parameters: [path('id'), query('file_path'), query('ref')] },
      },
      '/v4/projects/{id}/variables/{key}': {
        put: { parameters: [path('id'), path('key')], requestBody: body },
      },
    },
  },
  Jira: {
    base: '',
    paths: {
      '/rest/api/2/issue': {
        post: { operationId: 'createIssue', parameters: [query('updateHistory')], requestBody: body },
      },
      '/rest/api/2/issue/{issueIdOrKey}/transitions': {
        get: {
          operationId: 'getTransitions',
          parameters: [
            path('issueIdOrKey'),
            ...['expand', 'transitionId', 'skipRemoteOnlyCondition'].map(query),
          ],
        },
        post: { operationId: 'doTransition', parameters: [path('issueIdOrKey')], requestBody: body },
      },
      '/rest/api/2/project': { post: { operationId: 'createProject', requestBody: body } },
    },
  },
};

/** What the name of a value does not show: exports give the number of a merge request where the document asks for its id. */
export const FACE_MAPS: Readonly<Record<string, object>> = {
  Gitlab: {
    getV4ProjectsIdMergeRequestsMergeRequestIdVersions: {
      values: { merge_request_id: { value: 'mergeRequestIid' } },
    },
  },
};
