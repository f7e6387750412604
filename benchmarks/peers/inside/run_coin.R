# Compute the p-values with R's coin: oneway_test on associations. The job is a table with a row for
# each target: test, side (X or Y), association. Exact if that takes at most 10 s and fits into the
# memory limit of this process; otherwise sampled, as its documentation proposes.
suppressPackageStartupMessages(library(coin))
SECONDS <- 10
DRAWS <- 99999

peak_memory <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  line <- grep("^VmHWM:", status, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else NA
}

run <- function(targets, distribution) {
  start <- proc.time()[["elapsed"]]
  p <- pvalue(oneway_test(association ~ side, data = targets, distribution = distribution,
                          alternative = "greater"))
  list(p = p, seconds = proc.time()[["elapsed"]] - start)
}

print_row <- function(name, how, result, fields) {
  cat(sprintf('\n{"test": "%s", "p": %.17g, "how": "%s", %s, "seconds": %.6f, "memory": %.1f}\n',
              name, as.numeric(result$p), how, fields, result$seconds, peak_memory()))
}

job <- read.delim(commandArgs(trailingOnly = TRUE)[1])
set.seed(0)
# Small tests first: exact runs that hit a limit do not free their memory.
for (name in names(sort(table(job$test)))) {
  targets <- job[job$test == name, ]
  targets$side <- factor(targets$side, levels = c("X", "Y"))
  setTimeLimit(elapsed = SECONDS)
  result <- tryCatch(run(targets, "exact"), error = conditionMessage)
  setTimeLimit()
  if (is.list(result)) {
    # The p-value of a permutation test must not depend on the unit.
    doubled <- run(transform(targets, association = 2 * association), "exact")$p
    print_row(name, "exact", result, sprintf('"n": null, "doubled": %.17g', as.numeric(doubled)))
  } else {
    why <- if (grepl("time limit", result)) sprintf("within %d s", SECONDS) else "within the memory limit"
    result <- run(targets, approximate(nresample = DRAWS))
    # If p is 0, coin prints the upper bound, which as.numeric() drops.
    bound <- if (result$p == 0) sprintf('"below": %.17g, ', 1 / DRAWS) else ""
    fields <- sprintf('%s"n": %d, "added": 0, "tried": "exact not done %s"', bound, DRAWS, why)
    print_row(name, "sampled", result, fields)
  }
}
