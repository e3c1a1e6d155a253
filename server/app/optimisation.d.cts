export const LATE_OPTIMISATION: readonly string[];
export const USUAL_OPTIMISATION: readonly string[];
