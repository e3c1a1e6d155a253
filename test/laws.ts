import fc from 'fast-check';

/**
 * The invented values of property tests are the same in every run, so that a commit that passed here passes where it is
 * judged. `LAW_SEED=random npm test` invents others, as a search for faults; a number repeats what a failure reports.
 */
const { LAW_SEED = '20260101' } = process.env;
if (LAW_SEED !== 'random') fc.configureGlobal({ seed: Number(LAW_SEED) });
