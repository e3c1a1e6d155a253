import { z } from 'zod';

const ours = z.unknown().optional().describe('Written by the service: what is sent here counts for nothing');

/** Members of documents that the service writes itself, whatever is sent in them (contract/lifecycle#0.7). */
export const WRITTEN_BY_US = {
  _id: ours,
  created: ours,
  createdBy: ours,
  lastUpdated: ours,
  lastUpdatedBy: ours,
  namespace: ours,
};

/** The id of a document that is imported: kept where it is free. */
export const givenId = z.string().optional().describe('Id that the document had; kept where it is free');
