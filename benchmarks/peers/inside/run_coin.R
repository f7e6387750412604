# The p-values with R's coin: oneway_test on associations, which it is given. The job is a table
# with a row for each target: test, side (X or Y), association. Exact where that ends within 10 s
# and the memory that this process was allowed; otherwise sampled, as its documentation proposes.
suppressPackageStartupMessages(library(coin))
SECONDS <- 10
SAMPLED <- 99999

peak <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  line <- grep("^VmHWM:", status, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else NA
}

run <- function(one, distribution) {
  start <- proc.time()[["elapsed"]]
  p <- pvalue(oneway_test(association ~ side, data = one, distribution = distribution,
                          alternative = "greater"))
  list(p = p, seconds = proc.time()[["elapsed"]] - start)
}

say <- function(name, how, found, more) {
  cat(sprintf('\n{"test": "%s", "p": %.17g, "how": "%s", %s, "seconds": %.6f, "memory": %.1f}\n',
              name, as.numeric(found$p), how, more, found$seconds, peak()))
}

job <- read.delim(commandArgs(trailingOnly = TRUE)[1])
set.seed(0)
# Small tests first: exact runs that are given up leave their memory taken.
for (name in names(sort(table(job$test)))) {
  one <- job[job$test == name, ]
  one$side <- factor(one$side, levels = c("X", "Y"))
  setTimeLimit(elapsed = SECONDS)
  found <- tryCatch(run(one, "exact"), error = conditionMessage)
  setTimeLimit()
  if (is.list(found)) {
    # A permutation test does not depend on the unit.
    twice <- run(transform(one, association = 2 * association), "exact")$p
    say(name, "exact", found, sprintf('"n": null, "doubled": %.17g', as.numeric(twice)))
  } else {
    why <- if (grepl("time limit", found)) sprintf("within %d s", SECONDS) else "in the memory allowed"
    found <- run(one, approximate(nresample = SAMPLED))
    # Of a p of 0 it prints the bound, which as.numeric() forgets.
    bound <- if (found$p == 0) sprintf('"below": %.17g, ', 1 / SAMPLED) else ""
    more <- sprintf('%s"n": %d, "added": 0, "tried": "exact not done %s"', bound, SAMPLED, why)
    say(name, "sampled", found, more)
  }
}
