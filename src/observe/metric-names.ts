/** Prefix of every metric that is the translator's own. */
export const metricPrefix = "apisix_translator_";
