import { z } from 'zod';

const ours = z.unknown().optional().describe('Written by the service: what is sent here counts for nothing');

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
export const givenId = z.string().optional().describe('Id that the document had; kept where it is free');
