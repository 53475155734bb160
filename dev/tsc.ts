// The TypeScript compiler's own command.
import "typescript/lib/tsc.js";
