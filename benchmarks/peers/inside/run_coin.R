# The p-values with R's coin: oneway_test on associations, which it is given. The job is a table
# with a row for each target: test, side (X or Y), association.
suppressPackageStartupMessages(library(coin))

peak <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  line <- grep("^VmHWM:", status, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else NA
}

job <- read.delim(commandArgs(trailingOnly = TRUE)[1])
for (name in unique(job$test)) {
  one <- job[job$test == name, ]
  one$side <- factor(one$side, levels = c("X", "Y"))
  setTimeLimit(elapsed = 20, transient = TRUE)
  start <- proc.time()[["elapsed"]]
  p <- tryCatch(
    pvalue(oneway_test(association ~ side, data = one, distribution = "exact",
                       alternative = "greater")),
    error = function(e) NA
  )
  setTimeLimit()
  seconds <- proc.time()[["elapsed"]] - start
  if (is.na(p)) {
    cat(sprintf('\n{"test": "%s", "error": "not done within 20 s"}\n', name))
  } else {
    cat(sprintf('\n{"test": "%s", "p": %.17g, "how": "exact", "seconds": %.6f, "memory": %.1f}\n',
                name, as.numeric(p), seconds, peak()))
  }
}
