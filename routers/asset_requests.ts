import { z } from 'zod';

const ours = z.unknown().optional().describe('Set by the service: a value that is sent is ignored');

/** Fields of documents that the service sets itself and ignores in requests (contract/lifecycle#0.7). */
export const WRITTEN_BY_US = {
  _id: ours,
  created: ours,
  createdBy: ours,
  lastUpdated: ours,
  lastUpdatedBy: ours,
  namespace: ours,
};

/** The id of an imported document, kept if it is free. */
export const givenId = z.string().optional().describe('Id of the original document; kept when it is free');
