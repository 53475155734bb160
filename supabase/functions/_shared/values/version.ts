/** The version `/health` and the API document show. */
export const VERSION = "0.1.0";
