export const LATE_OPTIMIZATION: readonly string[];
export const USUAL_OPTIMIZATION: readonly string[];
